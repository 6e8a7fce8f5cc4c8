/**
 * `oxbow worker` and `oxbow server --worker`, as a container runs them: real processes, and a real Postgres. The commands are
 * those of docs/operate/worker.md.
 */
import { definitionTools } from "@oxbow/declared";
import type { Json } from "@oxbow/declared/check";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { type CommandEnd, OXBOW, oxbow } from "../helpers/command.ts";
import { MIRROR } from "../helpers/compiled.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { openTarget } from "../helpers/delivery-target.ts";
import { eventually } from "../helpers/eventually.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const RESULT = { timeout: "60s" } as const;
const UNSET = { QUEUE_URL: "", QUEUE_SHARDS: "", DATABASE_URL: "", OXBOW_TOKENS: "" };

/** Each step notes its call, and ends when its file exists. */
const ORDER = `
import { createDefinitions, defineNode } from "@oxbow/declared";
import { workflow } from "@oxbow/sdk/runtime";
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { greeting } from "./greeting.ts";

enum Step { First = "first", Second = "second" }

async function act(folder: string, step: Step): Promise<string> {
  appendFileSync(\`\${folder}/calls.txt\`, \`\${step}\\n\`);
  while (!existsSync(\`\${folder}/may-\${step}\`)) await delay(10);
  return step;
}

export const order = workflow({
  name: "order",
  run: async (ctx, folder: string) => {
    const first = await ctx.step.run("first", () => act(folder, Step.First));
    return [first, await ctx.step.run("second", () => act(folder, Step.Second))];
  },
});

const greet = defineNode({
  type: "test.greet",
  params: { type: "object", properties: { name: { type: "string" } } },
  run: ({ params }) => greeting((params as { name: string }).name),
});
export const definitions = createDefinitions({ nodes: [greet] });
`;
const GREETING = "export const greeting = (name: string): string => `Hello, ${name}`;\n";

/** A folder of a user who has installed the packages, and nothing else. */
function makeProject(files: Readonly<Record<string, string>> = {}): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "oxbow-project-")));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(MIRROR, join(project, "node_modules/@oxbow"));
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  return project;
}

const startWorker = (
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): WorkerProcess =>
  startWorkerProcess(OXBOW, { args: ["worker", ...args], cwd, env: { ...UNSET, ...env } });

/** A document whose output is that of its node `last`. */
const documentOf = (name: string, nodes: Readonly<Record<string, Json>>) => {
  const order = [...Object.keys(nodes), "end"];
  return {
    format: 1,
    name,
    nodes: { ...nodes, end: { type: "end@1", params: { output: { $path: "nodes.last.output" } } } },
    edges: order.slice(1).map((to, index) => ({ from: order[index], to })),
  };
};

const clientOf = (url: string): WorkflowClient => {
  const client = createCheckedClient({ url, tools: definitionTools() });
  onTestFinished(() => client.close());
  return client;
};

/** Publishes a document of built-in nodes, starts a run, and returns its handle. */
async function startDocument(client: WorkflowClient, document: ReturnType<typeof documentOf>) {
  const definitions = definitionsOf(client);
  await definitions.publish(document.name, await definitions.create(document));
  return definitions.start(document.name, {});
}

describe("oxbow worker with files", () => {
  it("serves a definition, drains at SIGTERM, and another worker finishes what SIGKILL interrupts", async () => {
    const project = makeProject({ "order.ts": ORDER, "greeting.ts": GREETING });
    const database = await createDatabase();
    const env = { QUEUE_URL: database.url };
    const start = async (): Promise<WorkerProcess> => {
      const worker = startWorker(["order.ts", "--lease", "2s"], project, env);
      await worker.line(/^Serving order, definitions of pool default\.$/);
      return worker;
    };
    const calls = (): string[] =>
      existsSync(join(project, "calls.txt"))
        ? readFileSync(join(project, "calls.txt"), "utf8").trim().split("\n")
        : [];
    const called = async (...steps: string[]): Promise<void> => {
      await eventually(calls, (now) => now.length >= steps.length);
      expect(calls()).toEqual(steps);
    };
    const client = clientOf(database.url);

    const first = await start();
    const welcome = documentOf("welcome", {
      last: { type: "test.greet@1", params: { name: "Ada" } },
    });
    writeFileSync(join(project, "welcome.json"), JSON.stringify(welcome));
    await eventually(
      () => definitionsOf(client).catalog.nodeTypes(),
      (types) => types.some(({ type }) => type === "test.greet"),
    );
    expect(
      await oxbow(["definitions", "apply", "welcome.json", "--publish"], { cwd: project, env }),
    ).toMatchObject({ code: 0 });
    const greeted = await definitionsOf(client).start("welcome", {});
    expect(await greeted.result(RESULT)).toBe("Hello, Ada");

    const run = await client.start("order", project);
    await called("first");
    const stopped = first.stop();
    await first.line(/^Stopping/);
    writeFileSync(join(project, "may-first"), "");
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(calls()).toEqual(["first"]);
    expect((await run.status()).status).toBe("running");

    const second = await start();
    await called("first", "second");
    await second.kill();
    writeFileSync(join(project, "may-second"), "");
    const third = await start();
    expect(await run.result(RESULT)).toEqual(["first", "second"]);
    expect(calls()).toEqual(["first", "second", "second"]);
    expect(await third.stop()).toEqual({ code: 0, signal: null });
  });

  it("ends at a signal though a file keeps the process alive, and names variables that it doesn't read", async () => {
    const project = makeProject({
      "order.ts": `${ORDER}\nsetInterval(() => {}, 1_000);\n`,
      "greeting.ts": GREETING,
    });
    const database = await createDatabase();
    const worker = startWorker(["order.ts"], project, {
      QUEUE_URL: database.url,
      OXBOW_SECRET_KEY: "hunter2hunter2",
    });
    await worker.line(/^Not read, because files are given: OXBOW_SECRET_KEY\./);
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(worker.output.join("\n")).not.toContain("hunter2");
  });

  it("ends at a signal that comes while it loads a file", async () => {
    const waits =
      'console.log("loading");\nawait new Promise((done) => setTimeout(done, 600_000));\n';
    const worker = startWorker(["waits.mjs"], makeProject({ "waits.mjs": waits }), {
      QUEUE_URL: "postgres://app@127.0.0.1:1/app",
    });
    await worker.line(/^loading$/);
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
  });
});

describe("oxbow worker without files", () => {
  it("runs definitions with data sources and secrets of the environment", async () => {
    const [database, shop] = [await createDatabase(), await createDatabase()];
    const { host } = new URL(shop.url);
    await shop.query("create table public.sale (id int)");
    const target = await openTarget((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"free": 3}');
    });
    const secret = "s3cret-of-the-stock";
    const worker = startWorker([], makeProject(), {
      QUEUE_URL: database.url,
      OXBOW_SOURCE_SHOP: shop.url,
      // The first of its servers is gone.
      OXBOW_SOURCE_SHOP_ARCHIVE: shop.url.replace(host, `127.0.0.1:1,${host}`),
      OXBOW_WRITABLE_SOURCES: "shop",
      OXBOW_SECRET_STOCK_KEY: secret,
      OXBOW_HTTP_ALLOWED_NETWORKS: "127.0.0.1",
      OXBOW_HTTP_ALLOW_HTTP: "true",
    });
    await worker.line(/^Serving definitions of pool default\.$/);
    await worker.line(
      /^Definitions may use: data source shop \(writable\), data source shop_archive, secret stock_key\.$/,
    );
    const client = clientOf(database.url);
    const insert = "insert into public.sale values ($1) returning id";
    const sale = (source: string): Json => ({
      type: "sql.query@1",
      params: { source, sql: insert, values: [{ $path: "nodes.given.output.id" }], write: true },
    });
    const run = await startDocument(
      client,
      documentOf("sell", {
        given: { type: "set@1", params: { id: 7 } },
        stock: {
          type: "http.request@1",
          params: { url: target.url, auth: { bearer: { $secret: "stock.key" } } },
        },
        write: sale("shop"),
        last: {
          type: "sql.query@1",
          params: { source: "shop_archive", sql: "select id from public.sale" },
        },
      }),
    );
    expect(await run.result(RESULT)).toEqual({ rows: [{ id: 7 }], count: 1 });
    expect(target.visits.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`]);

    const refused = await startDocument(
      client,
      documentOf("sell-from-archive", {
        given: { type: "set@1", params: { id: 8 } },
        last: sale("shop_archive"),
      }),
    );
    await expect(refused.result(RESULT)).rejects.toThrow(
      'no statement to write to source "shop_archive"',
    );
    expect(await shop.query("select id from public.sale")).toEqual([{ id: 7 }]);
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(worker.output.join("\n")).not.toContain(secret);
  });

  it("serves the pool of --pool, through a server as well", async () => {
    const database = await createDatabase();
    const token = "t".repeat(32);
    const server = startWorkerProcess(OXBOW, {
      args: ["server"],
      env: { ...UNSET, DATABASE_URL: database.url, PORT: "0", OXBOW_TOKENS: `${token}:admin` },
    });
    const url = addressIn(await server.line(/^Oxbow serves /));
    const worker = startWorker(["--pool", "night"], makeProject(), {
      QUEUE_URL: url,
      QUEUE_TOKEN: token,
    });
    await worker.line(/^Serving definitions of pool night\.$/);
    const document = documentOf("nightly", { last: { type: "set@1", params: { at: "night" } } });
    const run = await startDocument(clientOf(database.url), {
      ...document,
      settings: { pool: "night" },
    } as typeof document);
    expect(await run.result(RESULT)).toEqual({ at: "night" });
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });
});

describe("oxbow worker with what it can't serve", () => {
  const password = "hunter2hunter2";
  const project = (): string =>
    makeProject({
      "order.ts": ORDER,
      "greeting.ts": GREETING,
      "broken.ts": "export const order = +;\n",
      "throws.ts": 'throw new Error("No API key.");\n',
    });
  const end = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandEnd> =>
    oxbow(["worker", ...args], {
      cwd: project(),
      // No statement gets there.
      env: { ...UNSET, QUEUE_URL: "postgres://app@127.0.0.1:1/app", ...env },
    });

  it.each([
    ["a missing file", ["flows.ts"], {}, 3, /^oxbow: File "flows\.ts" doesn't exist\.$/],
    [
      "a file that isn't TypeScript",
      ["broken.ts"],
      {},
      1,
      /^oxbow: Can't serve your workflows: [^]*broken\.ts:1:\d+: ERROR: Unexpected/,
    ],
    [
      "a file that throws",
      ["order.ts", "throws.ts"],
      {},
      1,
      /^oxbow: Can't serve your workflows: No API key\.\n +at .*throws\.ts:1:\d+/,
    ],
    [
      "a file without exports, next to one that has some",
      ["order.ts", "greeting.ts"],
      {},
      1,
      /^oxbow: Can't serve your workflows: greeting\.ts exports no workflow and no definitions: /,
    ],
    ["--pool with files", ["order.ts", "--pool", "night"], {}, 2, /^oxbow: --pool is for a worker/],
    ["no database", [], { QUEUE_URL: "" }, 1, /^oxbow: No database: give --url /],
    ["too many slots", ["--concurrency", "10001"], {}, 2, /^oxbow: Invalid concurrency 10001: /],
    [
      "a source of another database",
      [],
      { OXBOW_SOURCE_SHOP: `mysql://shop:${password}@db/shop` },
      1,
      /^oxbow: Invalid OXBOW_SOURCE_SHOP: The url is not one of Postgres: give one like /,
    ],
    [
      "a password that isn't encoded",
      [],
      { OXBOW_SOURCE_SHOP: `postgres://shop:${password}#/x@db/shop` },
      1,
      /^oxbow: Invalid OXBOW_SOURCE_SHOP: The url /,
    ],
    [
      "an invalid port of a source",
      [],
      { OXBOW_SOURCE_SHOP: `postgres://shop:${password}@db:port/shop` },
      1,
      /^oxbow: Invalid OXBOW_SOURCE_SHOP: The url is not one of Postgres/,
    ],
    [
      "a missing certificate of a source",
      [],
      { OXBOW_SOURCE_SHOP: `postgres://shop:${password}@a,b/shop?sslrootcert=/missing/ca.pem` },
      1,
      /^oxbow: Invalid OXBOW_SOURCE_SHOP: The url names the file "\/missing\/ca\.pem"/,
    ],
    [
      "the source oxbow",
      [],
      { OXBOW_SOURCE_OXBOW: `postgres://shop:${password}@db/shop` },
      1,
      /^oxbow: Invalid OXBOW_SOURCE_OXBOW: the source "oxbow" is the database of Oxbow itself/,
    ],
    [
      "a writable source that isn't there",
      [],
      { OXBOW_WRITABLE_SOURCES: "shop" },
      1,
      /^oxbow: Invalid OXBOW_WRITABLE_SOURCES: there is no source "shop"\. Set OXBOW_SOURCE_SHOP /,
    ],
    [
      "a name that documents can't write",
      [],
      { "OXBOW_SECRET_stock-key": password },
      1,
      /^oxbow: Invalid name of the variable OXBOW_SECRET_stock-key: /,
    ],
    [
      "a network that isn't one",
      [],
      { OXBOW_HTTP_ALLOWED_NETWORKS: "intranet" },
      1,
      /^oxbow: Invalid OXBOW_HTTP_ALLOWED_NETWORKS: /,
    ],
  ] as const)("names the reason: %s", async (_what, args, env, code, sentence) => {
    const { code: ended, stdout, stderr } = await end(args, env);
    expect(stderr).toMatch(sentence);
    expect(ended).toBe(code);
    expect(`${stdout}${stderr}`).not.toContain(password);
  });

  it("ends if the database can't serve it", async () => {
    const database = await createDatabase({ empty: true });
    const worker = startWorker([], makeProject(), { QUEUE_URL: database.url });
    expect(await worker.end()).toEqual({ code: 1, signal: null });
    expect(worker.output.join("\n")).toMatch(/^oxbow: .*oxbow migrate/m);
  });
});

const addressIn = (line: string): string => /http\S+$/.exec(line)?.[0] ?? "";

describe("oxbow server --worker", () => {
  const startBoth = (database: TestDatabase, ...files: string[]): WorkerProcess =>
    startWorkerProcess(OXBOW, {
      args: ["server", "--worker", ...files],
      cwd: makeProject({ "order.ts": ORDER, "greeting.ts": GREETING }),
      env: { ...UNSET, DATABASE_URL: database.url, PORT: "0", HOST: "" },
    });

  it("completes a run with only that process, once the database has Oxbow", async () => {
    const database = await createDatabase({ empty: true });
    const both = startBoth(database);
    const url = addressIn(await both.line(/^Oxbow serves /));
    // The worker has ended: the server continues, and starts another one.
    await both.line(/the worker has ended; another one starts/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(await oxbow(["migrate"], { env: { DATABASE_URL: database.url } })).toMatchObject({
      code: 0,
    });

    // As the dashboard does it.
    await using client = createWorkflowClient({ url });
    const definitions = definitionsOf(client);
    const revision = await eventually(
      () =>
        definitions.create(
          documentOf("add", { last: { type: "set@1", params: { sum: { $cel: "1 + 2" } } } }),
        ),
      () => true,
    );
    await definitions.publish("add", revision);
    const run = await definitions.start("add", {});
    expect(await run.result(RESULT)).toEqual({ sum: 3 });

    // Both continue after all of their connections are lost.
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    const next = await eventually(
      () => definitions.start("add", {}),
      () => true,
    );
    expect(await next.result(RESULT)).toEqual({ sum: 3 });
    expect(await both.stop()).toEqual({ code: 0, signal: null });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it("serves files, and stops the worker before the server", async () => {
    const database = await createDatabase();
    const both = startBoth(database, "order.ts");
    const url = addressIn(await both.line(/^Oxbow serves /));
    await both.line(/^Serving order, definitions of pool default\.$/);
    const folder = makeProject();
    const client = clientOf(database.url);
    const run = await client.start("order", folder);
    await eventually(() => existsSync(join(folder, "calls.txt")), true);
    const stopped = both.stop();
    // The server answers as long as the worker has a step in progress.
    await both.line(/^Stopping the worker/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    writeFileSync(join(folder, "may-first"), "");
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(readFileSync(join(folder, "calls.txt"), "utf8")).toBe("first\n");
    expect((await run.status()).status).toBe("running");
  });

  it("ends at its start if the worker or the server has an invalid setting", async () => {
    const database = await createDatabase();
    const env = { ...UNSET, DATABASE_URL: database.url, HOST: "" };
    const source = await oxbow(["server", "--worker"], {
      env: { ...env, PORT: "0", OXBOW_SOURCE_SHOP: "shop" },
    });
    expect(source).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^oxbow: Invalid OXBOW_SOURCE_SHOP: /),
    });
    const taker = createServer();
    await new Promise<void>((resolve) => {
      taker.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => void taker.close());
    const { port } = taker.address() as AddressInfo;
    const taken = await oxbow(["server", "--worker"], { env: { ...env, PORT: String(port) } });
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("EADDRINUSE"),
    });
  });
});
