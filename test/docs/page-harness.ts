/** The surroundings of a page's program: a separate database, a worker whose clock skips, and terminals. */
import { strict as assert } from "node:assert";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { RunHandle } from "@oxbow/sdk";
import { type Context, createWorker, type Workflow, workflow } from "@oxbow/sdk/runtime";
import { createTestEnvironment, RunBlocked, type TestEnvironment } from "@oxbow/sdk/testing";
import pg from "pg";
import { parse } from "yaml";

export const deepEqual: typeof assert.deepEqual = assert.deepEqual;
export const yaml: (code: string) => unknown = parse;

/** How the block that follows ends, unless it ends well. */
export const expected: { exit: number; failure: RegExp | undefined } = {
  exit: 0,
  failure: undefined,
};

type Body = (ctx: Context) => unknown;

const cleanups: (() => Promise<unknown>)[] = [];

const bodies: Body[] = [];
const fragment = workflow({
  name: "fragment",
  run: async (ctx, n: number): Promise<unknown> => await bodies[n]?.(ctx),
});
const clusterUrl = process.env["CLUSTER_URL"];
export const env: TestEnvironment = await createTestEnvironment({
  url: clusterUrl,
  template: process.env["TEMPLATE"],
  workflows: [fragment],
});

/** Starts a run whose body is a fragment of the page. */
export function start(body: Body): Promise<RunHandle> {
  return env.client.start(fragment, bodies.push(body) - 1);
}

/** Runs a fragment of the page in a run, to its end; the clock skips over sleeps and timeouts. */
export async function inRun(body: Body): Promise<void> {
  const { failure } = expected;
  expected.failure = undefined;
  const result = untilOver(await start(body));
  if (failure === undefined) await result;
  else await assert.rejects(result, failure);
}

/** On a busy machine, a worker of the page takes longer than the environment waits for a run that it doesn't serve. */
async function untilOver(run: RunHandle): Promise<void> {
  for (;;) {
    try {
      await env.result(run);
      return;
    } catch (error) {
      if (!(error instanceof RunBlocked) || workers === 0) throw error;
    }
  }
}

let workers = 0;

/** Serves workflows of the page until it ends. */
export function serve(...workflows: Workflow[]): void {
  const worker = createWorker({ url: env.url, workflows });
  workers += 1;
  cleanups.push(() => worker.stop());
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(20);
}

let database = env.url;
// The url of clients and workers that aren't given one.
process.env["QUEUE_URL"] = env.url;

/** From here on, SQL and commands of the page use a database without Oxbow. Returns its url. */
export async function useEmptyDatabase(): Promise<string> {
  const name = `page_${process.pid}_${Date.now()}_${cleanups.length}`;
  await query(clusterUrl ?? "", `create database ${name}`);
  const url = new URL(clusterUrl ?? "");
  url.pathname = name;
  database = url.href;
  cleanups.push(() => query(clusterUrl ?? "", `drop database ${name} with (force)`));
  return database;
}

/** From here on, commands of the page have `QUEUE_SHARDS`. Returns the urls of two databases without Oxbow. */
export async function useShards(): Promise<Record<"a" | "b", string>> {
  const a = await useEmptyDatabase();
  const b = await useEmptyDatabase();
  process.env["QUEUE_SHARDS"] = `a=${a} b=${b}`;
  return { a, b };
}

export async function sql(statements: string, values?: readonly unknown[]): Promise<unknown[]> {
  return query(database, statements, values);
}

const servers: ChildProcess[] = [];
// Where a block fails, too, and where the page takes too long for its test.
process.once("exit", killServers);
process.once("SIGTERM", () => process.exit(1));

const port = await freePort();
/** Where `oxbow server` of the page listens. */
export const serverUrl: string = `http://127.0.0.1:${port}`;

/** Types each command into a terminal. One that serves stays there, and the next is typed when it is ready. */
export async function sh(script: string): Promise<void> {
  const { exit } = expected;
  expected.exit = 0;
  const commands = atThisPage(script)
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((command) => command !== "" && !command.startsWith("#"));
  for (const command of commands) {
    if (!isInstalled(command)) continue;
    const child = spawn("bash", ["-c", command], {
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    if (/\boxbow server\b/.test(command)) {
      servers.push(child);
      await serving(child);
    } else {
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      assert.equal(child.exitCode, exit, `${command}\n${stdout}${stderr}`);
    }
  }
}

/** Checks that the server has the metrics that expressions are about. */
export async function promql(expressions: string): Promise<void> {
  await sh("npx oxbow server");
  const metrics = await (await fetch(`${serverUrl}/metrics`)).text();
  const names = expressions.match(/\b(?:workflow|queue|oxbow)_\w+/g) ?? [];
  assert.ok(names.length > 0);
  for (const name of names) assert.ok(metrics.includes(`# HELP ${name} `), `There is no ${name}.`);
}

/** Runs Python if its driver is installed, and otherwise the SQL in it. */
export async function python(code: string): Promise<void> {
  const preamble = `import psycopg\nfrom psycopg.types.json import Jsonb\nurl = "${database}"\n`;
  if (spawnSync("python3", ["-c", preamble]).status === 0) {
    const { status, stderr } = spawnSync("python3", ["-c", preamble + code], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return;
  }
  const [, statement = "", values = ""] = /"(select .*)",\s*\((.*)\),$/m.exec(code) ?? [];
  let parameters = 0;
  const numbered = statement.replaceAll("%s", () => `$${(parameters += 1)}`);
  await sql(numbered, JSON.parse(`[${values.replaceAll(/Jsonb\((.*?)\)/g, "$1")}]`) as unknown[]);
}

/** Ends the program, whatever the page has left open. */
export async function end(): Promise<never> {
  killServers();
  for (const cleanup of cleanups) await cleanup();
  await env.stop();
  process.exit(0);
}

function killServers(): void {
  for (const { pid } of servers.splice(0)) {
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

function environment(): NodeJS.ProcessEnv {
  const { hostname, port: postgresPort, username, pathname } = new URL(database);
  return {
    ...process.env,
    PATH: `${process.env["BIN"]}:${process.env["PATH"]}`,
    // Which would come before the shards.
    QUEUE_URL: (process.env["QUEUE_SHARDS"] ?? "") === "" ? database : "",
    PORT: port,
    PGHOST: hostname,
    PGPORT: postgresPort,
    PGUSER: username,
    PGDATABASE: pathname.slice(1),
  };
}

/** Whether this machine has the program; `npx` and what the packages bring are always there. */
function isInstalled(command: string): boolean {
  const program = command.replace(/^(\w+=\S* )+/, "").split(" ")[0] ?? "";
  return spawnSync("bash", ["-c", `command -v ${program}`], { env: environment() }).status === 0;
}

/** Puts the addresses of this page's database and server in place of those of the reader. */
const atThisPage = (script: string): string =>
  script
    .replaceAll(/postgres:\/\/\S+/g, database)
    .replaceAll("localhost:8080", `localhost:${port}`);

async function query(
  url: string,
  statements: string,
  values?: readonly unknown[],
): Promise<unknown[]> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    const { rows } = await session.query(
      statements,
      values === undefined ? undefined : [...values],
    );
    return rows as unknown[];
  } finally {
    await session.end();
  }
}

async function serving({ stdout, stderr }: ChildProcess): Promise<void> {
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("Oxbow serves")) resolve();
    };
    stdout?.on("data", read);
    stderr?.on("data", read);
    stdout?.on("end", () => reject(new Error(`The server ended: ${output}`)));
  });
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: free } = server.address() as AddressInfo;
  server.close();
  return String(free);
}
