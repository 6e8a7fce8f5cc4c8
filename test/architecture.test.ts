/**
 * The rules that keep each layer ignorant of those above it, checked over the source as text: the four only-places,
 * the directions of imports, and the doors.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

interface Import {
  readonly target: string;
  /** Vanishes when types are stripped. */
  readonly isType: boolean;
}

const sdk = filesBeneath("sdk/src");
const fleet = filesBeneath("fleet/src");
const declared = filesBeneath("declared/src");
const editor = filesBeneath("editor/src");
const react = filesBeneath("react/src");
const ai = filesBeneath("ai/src");
const product = [
  ...sdk,
  ...fleet,
  ...declared,
  ...editor,
  ...react,
  ...ai,
  ...filesBeneath("server/src"),
];

describe("only places", () => {
  it("tables are named only in migrations/ and extension-sql/", () => {
    const tables = [...namesIn("migrations", /create table queue\.(\w+)/g), "q_\\w*", "migration"];
    expect(filesWith(product, new RegExp(`\\bqueue\\.(${tables.join("|")})\\b`))).toEqual([]);
  });

  it("SQL functions are called only in transport/postgres/ of both packages, in server/src/sqs/functions.ts, and by the installation", () => {
    const functions = namesIn("extension-sql/src", /create or replace function queue\.(\w+)/g);
    expect(functions).toContain("version");
    const call = new RegExp(`\\b(select|from)\\s[^;\`]*?\\bqueue\\.(${functions.join("|")})\\(`);
    const others = product.filter(
      ({ path }) =>
        !/^(sdk\/src\/install|(sdk|declared)\/src\/transport\/postgres)\//.test(path) &&
        path !== "server/src/sqs/functions.ts",
    );
    expect(filesWith(others, call)).toEqual([]);
  });

  it("the server sends SQL only in server/src/fork/postgres.ts, to Postgres itself", () => {
    const server = product.filter(({ path }) => path.startsWith("server/src/"));
    const others = server.filter(({ path }) => path !== "server/src/fork/postgres.ts");
    expect(filesWith(others, /\bclient\s*\.query\b/)).toEqual([]);
  });

  it("the environment is read only in server/src/config.ts and sdk/src/transport/target.ts", () => {
    const readers = new Set(["server/src/config.ts", "sdk/src/transport/target.ts"]);
    const others = product.filter(({ path }) => !readers.has(path));
    expect(filesWith(others, /process\.env\b/)).toEqual([]);
  });

  it("signals are combined and timed only in sdk/src/async/linked-signal.ts", () => {
    expect(filesWith(product, /\bAbortSignal\s*\.\s*(any|timeout)\b/)).toEqual([]);
  });

  it("the replay engine knows no clock, no chance, no timer and no package", () => {
    const replay = sdk.filter(({ path }) => path.startsWith("sdk/src/replay/"));
    const impure =
      /\bDate\.now\b|new Date\(\)|\bMath\.random\b|\bset(Timeout|Interval|Immediate)\b|\bperformance\.now\b/;
    expect(filesWith(replay, impure)).toEqual([]);
    const packages = replay.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, isType }) => !target.startsWith(".") && !isType)
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(packages).toEqual([]);
    const waits = replay
      .flatMap((file) => localImports(file).map(({ target }) => target))
      .filter((target) => layerOf(target) === "async");
    expect([...new Set(waits)]).toEqual(["sdk/src/async/callback-scope.ts"]);
  });
});

/** The layers that each layer of the SDK may import. */
const BENEATH: Readonly<Record<string, readonly string[]>> = {
  browser: [],
  core: [],
  async: ["core"],
  schedule: ["core"],
  protocol: ["core", "async", "schedule"],
  definition: ["core", "protocol"],
  replay: ["core", "async", "protocol", "definition"],
  transport: ["core", "async", "schedule", "protocol"],
  telemetry: ["core", "protocol"],
  client: ["core", "async", "schedule", "protocol", "definition", "transport", "telemetry"],
  worker: [
    "core",
    "async",
    "schedule",
    "protocol",
    "definition",
    "replay",
    "transport",
    "telemetry",
  ],
  push: ["core", "async", "protocol", "definition", "transport", "worker"],
  // For connections: a url may name several servers.
  install: ["core", "transport"],
  testing: [
    "core",
    "async",
    "schedule",
    "protocol",
    "definition",
    "replay",
    "transport",
    "client",
    "worker",
    "install",
  ],
};

describe("imports", () => {
  it("point down", () => {
    const upward = sdk.flatMap((file) => {
      const layer = layerOf(file.path);
      if (layer === undefined) return [];
      const allowed = new Set([layer, ...(BENEATH[layer] ?? [])]);
      return localImports(file)
        .filter(({ target }) => !allowed.has(layerOf(target) ?? "a door"))
        .map(({ target }) => `${file.path} imports ${target}`);
    });
    expect(upward).toEqual([]);
  });

  it("never reach what only tests use", () => {
    const targets = sdk.flatMap((file) => localImports(file).map(({ target }) => target));
    expect(targets.filter((target) => isForTests(target))).toEqual([]);
  });

  it("know every layer", () => {
    const layers = new Set(sdk.flatMap(({ path }) => layerOf(path) ?? []));
    expect([...layers].filter((layer) => !(layer in BENEATH))).toEqual([]);
  });

  it("of the client never reach the replay engine or the worker", () => {
    const reached = reachableFrom("sdk/src/index.ts");
    expect(reached.filter((path) => /^sdk\/src\/(replay|worker)\//.test(path))).toEqual([]);
  });
});

/** The nouns, by the name of their room in SQL, and the names of their rooms in the layers above. */
const ROOMS = {
  admin: ["admin"],
  approval: ["approvals"],
  definition: ["definitions"],
  endpoint: ["endpoints"],
  audit: ["audit"],
  catalog: ["catalog"],
  flow_control: ["flow-control"],
  fork: ["fork"],
  queue: ["queues"],
  resource: ["resources"],
  schedule: ["schedules"],
  shard: ["shards"],
  // Only a server calls it: see server/src/sqs.
  sqs: [],
  topic: ["topics"],
  trigger: ["triggers"],
  workflow: ["runs", "worker", "workflows"],
};
const NOUNS = Object.keys(ROOMS);
const ROOM_NAMES = Object.values(ROOMS).flat();
/** In `declared/src/`, which adds them to the SDK. */
const DECLARED_ROOMS = ["definitions", "triggers", "resources", "catalog"];
const SDK_ROOMS = ROOM_NAMES.filter((room) => !DECLARED_ROOMS.includes(room));

interface Layer {
  readonly folder: string;
  readonly rooms: readonly string[];
  /** Rooms that the layer doesn't have, each with the reason. */
  readonly without?: Readonly<Record<string, string>>;
  /** Everything else in the folder, each with what it holds. */
  readonly besides: Readonly<Record<string, string>>;
}

const LAYERS: readonly Layer[] = [
  {
    folder: "extension-sql/src",
    rooms: NOUNS,
    besides: {
      access: "roles, and who may call each function",
      foundation: "what several nouns call",
    },
  },
  {
    folder: "test/sql",
    rooms: NOUNS,
    without: { admin: "in test/install, which has databases of several versions" },
    besides: {
      access: "who may call each function",
      plans: "query plans, each over tables of several nouns",
    },
  },
  {
    folder: "declared/src/protocol",
    rooms: DECLARED_ROOMS,
    besides: {
      "definition-progress": "of runs of definitions, as events",
      "definition-tools": "of definitions: the checker of a client or a server",
      migration: "of definitions: what a client and a server do alike",
      "resource-listing": "of resources: what a client and a server do alike",
      "rerun-from-node": "of definitions: what a client and a server do alike",
      "test-origin": "of definitions: what a client and a server do alike",
    },
  },
  { folder: "declared/src/transport/postgres", rooms: DECLARED_ROOMS, besides: {} },
  {
    folder: "declared/src/transport/http",
    rooms: DECLARED_ROOMS,
    besides: {
      "definition-progress": "of definitions: events over connections that break",
    },
  },
  {
    folder: "sdk/src/protocol",
    rooms: SDK_ROOMS,
    besides: {
      blame: "errors",
      commit: "of the worker",
      continuation: "of runs and the worker",
      deliveries: "of topics, for a server",
      fleet: "the interface of the package that has shards",
      hints: "of schedules and shards",
      journal: "of runs and the worker",
      "local-workers": "of clients and workers",
      persistence: "errors",
      "receive-request": "what a worker asks for",
      relay: "of the worker, for a server",
      rooms: "the interface of rooms that packages add",
      routes: "of runs and schedules",
      "run-recording": "of runs, for replays",
      "run-shapes": "of runs, made of the SQL types",
      "run-token": "of runs, for browsers",
      "shown-run": "a run as pages show it",
      "lease-token": "of runs, for functions",
      push: "of runs to endpoints",
      "signed-token": "of run tokens and lease tokens",
      "standard-webhook": "of requests to endpoints",
      "server-unavailable": "errors",
      sqlstate: "errors",
      statistics: "of admin, for a server",
      suspects: "of queues and the worker",
      "trace-headers": "of runs and the worker",
      transaction: "of all nouns",
      transport: "the interface",
    },
  },
  {
    folder: "sdk/src/transport/postgres",
    rooms: SDK_ROOMS,
    besides: { connection: "below all nouns", "postgres-transport": "puts them together" },
  },
  {
    folder: "sdk/src/transport/http",
    rooms: SDK_ROOMS,
    without: {
      fork: "a server knows which database it has",
      shards: "a server has one database",
    },
    besides: {
      connection: "below all nouns",
      "event-source": "below all nouns",
      "fetch-client": "below all nouns",
      "http-client": "below all nouns",
      "http-transport": "puts them together",
      "node-client": "below all nouns",
      problems: "errors",
      requests: "below all nouns",
      shown: "values in JSON",
      "web-socket": "below all nouns",
    },
  },
  {
    folder: "server/src/routes",
    rooms: ROOM_NAMES,
    without: { shards: "a server has one database" },
    besides: {
      dashboard: "the files of the dashboard",
      health: "probes and metrics",
      session: "of the caller, not of the database",
      "sign-in": "pages of the browser's sign-in",
      table: "puts them together",
    },
  },
];

describe("each noun has a room", () => {
  it.each(LAYERS)("in $folder", ({ folder, rooms, without = {}, besides }) => {
    const found = readdirSync(join(ROOT, folder))
      .filter((name) => !name.endsWith(".test.ts"))
      .map((name) => name.replace(/\.ts$/, ""));
    const expected = rooms.filter((room) => !(room in without)).concat(Object.keys(besides));
    expect(found.toSorted()).toEqual(expected.toSorted());
  });
});

describe("declared workflows", () => {
  it("have a graph machine that imports nothing but itself", () => {
    const outside = declared
      .filter(({ path }) => path.startsWith("declared/src/graph/"))
      .flatMap((file) => file.imports.map(({ target }) => `${file.path} imports ${target}`))
      .filter((line) => !/ imports \.\/[\w-]+\.ts$/.test(line));
    expect(outside).toEqual([]);
  });

  it("have a client that loads neither the interpreter nor the checker", () => {
    const reached = reachableFrom("declared/src/client.ts").filter(
      (path) => path !== "declared/src/client.ts",
    );
    expect(reached).toContain("declared/src/transport/rooms.ts");
    expect(
      reached.filter((path) => !/^declared\/src\/(client|protocol|transport)\//.test(path)),
    ).toEqual([]);
    const heavy = declared
      .filter(({ path }) => reached.includes(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target, isType }) => !isType && !target.startsWith("."))
          .filter(({ target }) => !/^(@oxbow\/sdk(\/internal\/rooms)?|node:crypto)$/.test(target))
          .map(({ target }) => `${path} imports ${target}`),
      );
    expect(heavy).toEqual([]);
  });

  it("are unknown to the SDK, which packages add rooms to", () => {
    const known = sdk.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => target.startsWith("@oxbow/declared")).map(() => path),
    );
    expect(known).toEqual([]);
    const doors = ["sdk/src/index.ts", "sdk/src/internal/rooms.ts"].map((door) =>
      reachableFrom(door),
    );
    const [main = [], rooms = []] = doors;
    const replay = rooms.filter((path) => /^sdk\/src\/(replay|worker|testing)\//.test(path));
    expect({ replay, more: rooms.length - main.length < 10 }).toEqual({ replay: [], more: true });
  });

  it("are checked without anything that a browser lacks", () => {
    const reached = reachableFrom("declared/src/check.ts");
    expect(reached).toContain("declared/src/document/shape.ts");
    const checker = declared.filter(({ path }) => reached.includes(path));
    expect(filesWith(checker, /\bnew Function\b|\bBuffer\b|\bprocess\./)).toEqual([]);
    const builtIns = checker.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, isType }) => /^node:|^@oxbow/.test(target) && !isType)
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(builtIns).toEqual([]);
  });
});

/** Files of the SDK whose code names fleets or shards, each with the reason. */
const FLEET_SEAM: Readonly<Record<string, string>> = {
  "client/client.ts": "home() and shard() of a client",
  "client/schedules.ts": "names of schedules lead to their routes in a fleet only",
  "core/error-catalogue.ts": "codes of errors",
  "core/error-of-code.ts": "errors",
  "core/errors.ts": "errors",
  "index.ts": "exports errors, and the type of the option",
  "internal/fleet.ts": "the door for the package",
  "protocol/fleet.ts": "the seam",
  "protocol/shards.ts": "calls of the one database that is a shard",
  "protocol/transport.ts": "the interface",
  "transport/connect.ts": "connects to one database only",
  "transport/http/http-transport.ts": "has neither",
  "transport/load-fleet.ts": "loads the package",
  "transport/loading-transport.ts": "the transport of a client until the package is loaded",
  "transport/postgres/connection/pool.ts": "asks a database which shard it is",
  "transport/postgres/postgres-transport.ts": "has the calls of a shard",
  "transport/postgres/shards/functions.ts": "calls of the one database that is a shard",
  "transport/postgres/shards/transport.ts": "calls of the one database that is a shard",
  "transport/shards-to-open.ts": "gives the package its databases",
  "transport/target.ts": "reads the option `shards`",
  "transport/without-sockets.ts": "in place of the package in browsers",
  "worker/drain.ts": "refuses several shards",
  "worker/worker.ts": "has a lane for each shard",
};

/** Functions of runs and schedules whose statements name fleets or shards, each with the reason. */
const SQL_FLEET_SEAM: Readonly<Record<string, string>> = {
  "workflow/commit/_continue_committed_runs.sql": "a new generation has no children elsewhere",
  "workflow/end/_cancel_run.sql": "cancels children elsewhere",
  "workflow/find/_raise_run_not_found.sql": "an error",
  "workflow/workflow_start_elsewhere.sql": "an error",
};

describe("fleets", () => {
  it("are named by the SQL of runs and schedules only in the files of the seam", () => {
    const naming = ["workflow", "schedule"]
      .flatMap((noun) => pathsBeneath(`extension-sql/src/${noun}`))
      .filter((path) => path.endsWith(".sql") && /fleet|shard/i.test(statementsOf(path)))
      .map((path) => path.replace("extension-sql/src/", ""));
    expect(naming.toSorted()).toEqual(Object.keys(SQL_FLEET_SEAM));
  });

  it("are named by the SDK only in the files of the seam", () => {
    const naming = sdk
      .filter(({ code }) => /fleet|shard(?!_identity)/i.test(code))
      .map(({ path }) => path.replace("sdk/src/", ""));
    expect(naming.toSorted()).toEqual(Object.keys(FLEET_SEAM).toSorted());
  });

  it("are loaded by the SDK only in transport/load-fleet.ts, and imported nowhere", () => {
    expect(filesWith(sdk, /import\("#fleet"\)/)).toEqual([
      'sdk/src/transport/load-fleet.ts: import("#fleet")',
    ]);
    expect(filesWith(sdk, /"(@oxbow\/fleet|(\.\.\/)+fleet)\b/)).toEqual([]);
  });

  it("take from the SDK its doors `.` and `internal/fleet` only", () => {
    const targets = fleet.flatMap(({ imports }) => imports.map(({ target }) => target));
    const packages = new Set(targets.filter((target) => !/^(\.|node:)/.test(target)));
    expect([...packages].toSorted()).toEqual(["@oxbow/sdk", "@oxbow/sdk/internal/fleet"]);
  });
});

it("the audit loads nothing of the repository but its own files and helpers, as it is copied into other checkouts", () => {
  const suite = [...filesBeneath("test/audit"), ...filesBeneath("test/helpers")];
  const programs = suite.filter(({ path }) => path.startsWith("test/audit/programs/"));
  const reached = programs.flatMap(({ path }) => reachableFrom(path, suite));
  expect(reached).toContain("test/helpers/worker-process.ts");
  const outside = suite
    .filter(({ path }) => reached.includes(path))
    .flatMap((file) => localImports(file).map(({ target }) => `${file.path} imports ${target}`))
    .filter((line) => !/ imports test\/(audit|helpers)\//.test(line));
  expect(outside).toEqual([]);
});

describe("the editor", () => {
  it("sends no requests, and evaluates no text as code or markup", () => {
    const forbidden =
      /\bfetch\(|\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bnew Function\b|\beval\(|\binnerHTML\b|\bdangerouslySetInnerHTML\b/;
    expect(filesWith(editor, forbidden)).toEqual([]);
  });

  it("knows neither the SDK nor a worker", () => {
    const packages = new Set(editor.flatMap(({ imports }) => imports.map(({ target }) => target)));
    const own = [...packages].filter((target) => target.startsWith("@oxbow/"));
    expect(own).toEqual(["@oxbow/declared/check"]);
  });
});

describe("the hooks for React", () => {
  it("load the door of the SDK for browsers and no other, and React as their only peer", () => {
    const loaded = react.flatMap(({ imports }) =>
      imports.filter(({ isType }) => !isType).map(({ target }) => target),
    );
    const packages = new Set(loaded.filter((target) => !target.startsWith(".")));
    expect([...packages].toSorted()).toEqual(["@oxbow/sdk/browser", "react"]);
  });

  it("are modules of the client for frameworks that render components on a server", () => {
    const hooks = react.filter(({ imports }) => imports.some(({ target }) => target === "react"));
    expect(hooks.length).toBeGreaterThan(4);
    expect(hooks.filter(({ code }) => !code.startsWith('"use client";'))).toEqual([]);
  });
});

it("durable models and tools load the doors of the SDK for workflows, the AI SDK, and the API by which applications trace", () => {
  const loaded = ai.flatMap(({ imports }) => imports.map(({ target }) => target));
  const packages = new Set(loaded.filter((target) => !target.startsWith(".")));
  expect([...packages].toSorted()).toEqual([
    "@opentelemetry/api",
    "@oxbow/sdk",
    "@oxbow/sdk/internal/ai",
    "@oxbow/sdk/runtime",
    "ai",
    "node:crypto",
  ]);
});

describe("requests to untrusted urls", () => {
  it("are a door that loads nothing else of its package", () => {
    const reached = reachableFrom("declared/src/net.ts");
    expect(reached).toContain("declared/src/net/guarded-sender.ts");
    expect(reached.filter((path) => !/^declared\/src\/net[./]/.test(path))).toEqual([]);
  });

  it("are sent only in declared/src/net/", () => {
    const others = product.filter(
      ({ path }) => !/^(declared\/src\/net|sdk\/src\/(transport|browser))\//.test(path),
    );
    expect(filesWith(others, /\bfetch\(|\bhttps?\.request\(/)).toEqual([]);
  });
});

describe("promises", () => {
  /** The promises that the header of each file numbers: R1, R2, … */
  const promised = new Map(
    product.map(({ path }) => [
      path,
      new Set(
        [...source(path).matchAll(/^ \* {3}([A-Z]\d{1,2}) {1,2}\S/gm)].map(([, name = ""]) => name),
      ),
    ]),
  );

  it("are cited with the file that makes them, unless only one of the layer makes such", () => {
    const unclear = product.flatMap(({ path }) =>
      [...source(path).matchAll(/^.*\((?=[A-Z]\d)([A-Z\d, –to]+)(.*?)\).*$/gm)]
        .filter(([line]) => /^\s*(\/?\*|\/\/)|\/\/ |\/\*\* /.test(line))
        .flatMap(([, names = "", rest = ""]) =>
          (names.match(/[A-Z]\d{1,2}/g) ?? []).map((name) => ({ name, rest })),
        )
        .filter(({ name, rest }) => !isClear(path, name, rest))
        .map(({ name }) => `${path} cites ${name}`),
    );
    expect(unclear).toEqual([]);
  });

  const isClear = (path: string, name: string, rest: string): boolean => {
    const makers = [...promised].filter(([, names]) => names.has(name)).map(([maker]) => maker);
    if (makers.includes(path)) return true;
    const near = makers.filter((maker) => layerOf(maker) === layerOf(path));
    return near.length === 1 || makers.some((maker) => rest.includes(basename(maker)));
  };

  it("are those that ARCHITECTURE.md names", () => {
    const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
    const named = [...text.matchAll(/`([\w./-]+\.ts)` \(([A-Z])1–[A-Z](\d+)\)/g)];
    expect(named.length).toBeGreaterThan(10);
    const wrong = named.filter(([, file = "", letter = "", last = ""]) => {
      const [, names] = [...promised].find(([path]) => path.endsWith(file)) ?? [];
      return names?.has(`${letter}${last}`) !== true || names.has(`${letter}${Number(last) + 1}`);
    });
    expect(wrong.map(([whole]) => whole)).toEqual([]);
  });
});

describe("doors", () => {
  it.each([
    "sdk/src/index.ts",
    "sdk/src/runtime.ts",
    "sdk/src/browser.ts",
    "sdk/src/http.ts",
    "sdk/src/testing.ts",
    "sdk/src/internal/ai.ts",
    "sdk/src/internal/declared.ts",
    "sdk/src/internal/fleet.ts",
    "sdk/src/internal/rooms.ts",
    "sdk/src/internal/server.ts",
    "sdk/src/internal/testing.ts",
    "declared/src/index.ts",
    "declared/src/client.ts",
    "declared/src/internal.ts",
    "declared/src/check.ts",
    "fleet/src/index.ts",
    "fleet/src/internal.ts",
    "editor/src/index.ts",
    "editor/src/memory.ts",
    "react/src/index.ts",
    "ai/src/index.ts",
    "declared/src/net.ts",
  ])("%s only re-exports", (path) => {
    if (!existsSync(join(ROOT, path))) return;
    const rest = read(path).code.replaceAll(/export (type )?(\{[^}]*\}|\*) from "[^"]+";/g, "");
    expect(rest.trim()).toBe("");
  });

  it("are the only files that re-export", () => {
    const inside = [...sdk, ...fleet, ...declared, ...editor].filter(({ path }) =>
      /^\w+\/src\/(?!internal\/)\w+\//.test(path),
    );
    expect(filesWith(inside, /^export (type )?(\{|\*)/m)).toEqual([]);
  });
});

function filesBeneath(folder: string): SourceFile[] {
  return pathsBeneath(folder)
    .filter((path) => /\.tsx?$/.test(path) && !isForTests(path))
    .map((path) => read(path));
}

/** Tests next to their unit, and the simulated world in which replay is tested. */
function isForTests(path: string): boolean {
  return path.endsWith(".test.ts") || path.startsWith("sdk/src/replay/simulation/");
}

function pathsBeneath(folder: string): string[] {
  const directory = join(ROOT, folder);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .toSorted();
}

function source(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function read(path: string): SourceFile {
  const code = source(path).replaceAll(/\/\*.*?\*\/|^\s*\/\/.*?$| \/\/ .*?$/gms, "");
  const statements = code.matchAll(/^(?:import|export)\b([^;]*?)\sfrom\s+"([^"]+)";/gms);
  const imports = [...statements].map(([, names = "", target = ""]) => ({
    target,
    isType: names.trimStart().startsWith("type "),
  }));
  return { path, code, imports };
}

function filesWith(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, code }) => {
    const [found] = pattern.exec(code) ?? [];
    return found === undefined ? [] : [`${path}: ${found}`];
  });
}

function namesIn(folder: string, pattern: RegExp): string[] {
  return pathsBeneath(folder)
    .filter((path) => path.endsWith(".sql"))
    .flatMap((path) => [...readFileSync(join(ROOT, path), "utf8").matchAll(pattern)])
    .flatMap(([, name]) => name ?? []);
}

/** The statements of a file in `extension-sql/src/`, without comments. */
function statementsOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8")
    .replace(/\ncomment on function [^]*$/, "")
    .replaceAll(/--.*$/gm, "");
}

/** The folder in `sdk/src/`; `undefined` for a door. */
function layerOf(path: string): string | undefined {
  return /^sdk\/src\/(?!internal\/)(\w+)\//.exec(path)?.[1];
}

function localImports({ path, imports }: SourceFile): Import[] {
  return imports
    .filter(({ target }) => target.startsWith("."))
    .map(({ target, isType }) => ({
      target: relative(ROOT, join(ROOT, dirname(path), target)),
      isType,
    }));
}

/** All files that are loaded with a file, itself included. */
function reachableFrom(start: string, files: readonly SourceFile[] = product): string[] {
  const reached = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = files.find((candidate) => candidate.path === path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    waiting.push(
      ...localImports(file)
        .filter(({ isType }) => !isType)
        .map(({ target }) => target),
    );
  }
  return [...reached];
}
