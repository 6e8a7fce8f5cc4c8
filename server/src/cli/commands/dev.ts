/** `oxbow dev`: a database, a server, and a worker that restarts when workflows change, or functions to push runs to. */
import type { Command } from "commander";
import { existsSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { inspect } from "node:util";
import { environmentWith } from "../../config.ts";
import { startDevDatabase } from "../../dev/dev-database.ts";
import type { DevDatabase } from "../../dev/started-database.ts";
import { announce, makeDevFolder, withdraw } from "../../dev/dev-folder.ts";
import { startDevServer } from "../../dev/dev-server.ts";
import type { Served } from "../../dev/messages.ts";
import { Stops } from "../stops.ts";
import { findWorkflowFiles } from "../../dev/workflow-files.ts";
import { WorkerProcess } from "../../dev/worker-process.ts";
import { ownVersion } from "../../version.ts";
import { EXIT, notFound, usageError } from "../exit-codes.ts";
import { printFacts, printText, remark, style } from "../output.ts";
import { servedNames } from "../show.ts";
import { gather, oneOf, type Timers, TIMERS, wholeNumber } from "../values.ts";

interface DevArguments {
  readonly url?: string;
  readonly port?: number;
  readonly data?: string;
  readonly ephemeral?: boolean;
  readonly init?: boolean;
  readonly forkOf?: string;
  readonly timers: Timers;
  readonly shards?: number;
  readonly endpoint?: readonly string[];
}

const MOST_SHARDS = 8;

const EXAMPLE = `import { workflow } from "@oxbow/sdk/runtime";

export const hello = workflow({
  name: "hello",
  run: async (ctx, input: { name: string }) => {
    const text = await ctx.step.run("compose", () => \`Hello, \${input.name}!\`);
    await ctx.step.sleep("pause", "2s");
    return text;
  },
});`;

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .description(
      "start a database, a server, and a worker that restarts when your workflows change",
    )
    .argument(
      "[file...]",
      "files that export workflows or definitions (default: workflows.ts, workflows/*.ts)",
    )
    .option(
      "--port <number>",
      "port of the server (default: 8080, or the next free port)",
      wholeNumber("--port", 0),
    )
    .option("--data <folder>", "data directory of the embedded database (default: .oxbow)")
    .option("--ephemeral", "delete the data on exit")
    .option("--init", "create workflows.ts with an example, if there are no workflows")
    .option("--url <url>", "use this database, postgres://..., instead of an embedded one")
    .option(
      "--fork-of <source>",
      "work on a copy of this database (url or data directory), with its runs in flight",
    )
    .option(
      "--timers <what>",
      "timers of a fork: fire, shift or hold",
      oneOf("--timers", TIMERS),
      "fire",
    )
    .option(
      "--shards <number>",
      `create this many databases, up to ${MOST_SHARDS}, as the shards of a fleet`,
      wholeNumber("--shards", 1),
    )
    .option(
      "--endpoint <url>",
      "push runs to this function, and follow its changes; without files, no worker starts (repeatable)",
      (url: string, before?: readonly string[]) => gather(checkEndpoint(url), before),
    )
    .action(async (given: string[], options: DevArguments) => {
      await dev(filesOf(given, options), options);
    });
}

function checkEndpoint(url: string): string {
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  throw usageError(
    `Invalid --endpoint "${url}": give the url of a function, such as http://localhost:3000/api/oxbow.`,
  );
}

function filesOf(given: readonly string[], { init: isInit, endpoint }: DevArguments): string[] {
  const missing = given.find((file) => !existsSync(file));
  if (missing !== undefined) {
    throw notFound("FILE_NOT_FOUND", `File "${missing}" doesn't exist.`);
  }
  if (given.length > 0) return given.map((file) => resolve(file));
  // The function has imported them: a worker besides it would take its runs.
  if (endpoint !== undefined && isInit !== true) return [];
  const found = findWorkflowFiles(process.cwd());
  if (found.length > 0) return found;
  if (isInit === true) {
    writeFileSync("workflows.ts", `${EXAMPLE}\n`, { flag: "wx" });
    return [resolve("workflows.ts")];
  }
  throw notFound(
    "FILE_NOT_FOUND",
    `No workflows.ts or workflows/*.ts in ${process.cwd()}. Name a file, or run \`oxbow dev --init\` to create workflows.ts:\n\n${EXAMPLE}`,
  );
}

async function dev(files: readonly string[], options: DevArguments): Promise<void> {
  const { url, data, ephemeral = false, shards = 1 } = options;
  if (url !== undefined && /^https?:/i.test(url)) {
    throw usageError(
      `\`oxbow dev\` starts its own server: --url must be postgres://..., not that of another one.`,
    );
  }
  if (options.forkOf !== undefined && (url !== undefined || ephemeral)) {
    throw usageError(
      "--fork-of creates a database, so it can't be combined with --url or --ephemeral.",
    );
  }
  if (shards > MOST_SHARDS) {
    throw usageError(`Invalid --shards ${shards}: give 1 to ${MOST_SHARDS}.`);
  }
  if (shards > 1 && (url !== undefined || options.forkOf !== undefined)) {
    throw usageError(
      "--shards creates databases, so it can't be combined with --url or --fork-of.",
    );
  }
  if (shards > 1 && options.endpoint !== undefined) {
    throw usageError("--endpoint can't be combined with --shards: add endpoints to one database.");
  }
  const folder = makeDevFolder(process.cwd());
  // Before the database starts, which must be stopped too.
  const stops = new Stops(EXIT.failed);
  try {
    const database = await startDevDatabase({
      url,
      folder,
      dataDir: data === undefined ? undefined : resolve(data),
      isEphemeral: ephemeral,
      forkOf: options.forkOf,
      timers: options.timers,
      shards,
    });
    stops.add(() => database.stop());
    if (stops.isStopping) {
      await stops.all();
      return;
    }
    const server = await startDevServer(database, options.port, (text, error) =>
      remark(`${style("red", `server: ${text}`)} ${inspect(error)}`),
    );
    stops.add(() => server.stop());
    announce(folder, database.url, database.shards);
    stops.add(() => withdraw(folder));
    printText(style("bold", `Oxbow ${ownVersion()}`));
    printFacts({
      ...factsOf(database),
      dashboard: `${server.url}/`,
      server: server.url,
      openapi: `${server.url}/openapi.json`,
      ...(files.length === 0 ? {} : { workflows: files.map(shortPath).join(", ") }),
      ...(options.endpoint === undefined ? {} : { endpoints: options.endpoint.join(", ") }),
    });
    printText("");
    const hints = new Hints();
    if (files.length > 0) {
      const worker = followWorkflows(database, files, hints);
      stops.add(() => worker.stop());
      if (!stops.isStopping) worker.start();
    }
    if (options.endpoint !== undefined && !stops.isStopping) {
      stops.add(await followEndpoints(database, options.endpoint, hints));
    }
    if (stops.isStopping) await stops.all();
  } catch (error) {
    await stops.all();
    throw error;
  }
}

function factsOf({ url, shards, place }: DevDatabase): Record<string, string> {
  if (shards === undefined) return { database: `${url} (${place})` };
  return Object.fromEntries(
    Object.entries(shards).map(([name, one]) => [`shard ${name}`, `${one} (${place})`]),
  );
}

/** @returns What stops it. */
async function followEndpoints(
  { url }: DevDatabase,
  urls: readonly string[],
  hints: Hints,
): Promise<() => Promise<void>> {
  const { startFollowing } = await import("../../dev/followed-endpoints.ts");
  return startFollowing(url, [...new Set(urls)], {
    onServing: (endpoint, workflows) => {
      const served = { workflows, pools: [] };
      say("green", `${endpoint} serves ${servedNames(served)}.`);
      hints.show(served);
    },
    onFailed: (endpoint, reason) => {
      say("red", `Can't push runs to ${endpoint}: ${reason}`);
      say("dim", "It is asked again every two seconds.");
    },
  });
}

function followWorkflows(
  { url, shards }: DevDatabase,
  files: readonly string[],
  hints: Hints,
): WorkerProcess {
  const env: Record<string, string> =
    shards === undefined ? { QUEUE_URL: url } : { QUEUE_URL: "", QUEUE_SHARDS: toText(shards) };
  return new WorkerProcess({
    url: shards === undefined ? url : undefined,
    files,
    env: environmentWith(env),
    onServing: (served) => {
      say("green", `Serving ${servedNames(served)}.`);
      hints.show(served);
    },
    onFailed: (reason) => {
      say("red", `Can't serve your workflows: ${reason}`);
      say("dim", "Save a file to try again.");
    },
    onRestart: (why) => {
      if ("changed" in why) say("dim", `${shortPath(why.changed)} changed; restarting the worker.`);
      else say("red", `The worker has exited (${why.crashed}); restarting it.`);
    },
  });
}

const toText = (shards: Readonly<Record<string, string>>): string =>
  Object.entries(shards)
    .map(([name, url]) => `${name}=${url}`)
    .join(" ");

/** The commands to try, shown once. */
class Hints {
  #isShown = false;

  show(served: Served): void {
    if (this.#isShown) return;
    this.#isShown = true;
    say(
      "dim",
      `In another terminal, in this folder: npx oxbow ${startOf(served)}\n` +
        "Then: npx oxbow runs list, npx oxbow runs show <run>. Ctrl-C stops everything.",
    );
  }
}

const startOf = ({ workflows: [first] }: Served): string =>
  first === undefined
    ? "definitions apply <file> --publish, npx oxbow definitions start <definition> '<input as JSON>'"
    : `start ${first.name} '<input as JSON>' --wait 30s`;

const say = (kind: Parameters<typeof style>[0], text: string): void => printText(style(kind, text));

const shortPath = (path: string): string => relative(process.cwd(), path) || path;
