import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { createHandler, toNodeHandler } from "@oxbow/sdk/http";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { workflow } from "@oxbow/sdk/runtime";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { documents, OXBOW, oxbow } from "../helpers/command.ts";
import { MIRROR } from "../helpers/compiled.ts";
import { createDatabase } from "../helpers/database.ts";
import { listen } from "../helpers/endpoints.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const HELLO = `
import { workflow } from "@oxbow/sdk/runtime";
import { greeting } from "./lib/greeting.ts";

export const hello = workflow({
  name: "hello",
  run: (ctx, name: string) =>
    ctx.step.run("greet", async (): Promise<string> => {
      const { end } = await import("./lib/end.ts");
      return greeting(name) + end;
    }),
});
export const notOne = { name: "something else" };
`;
const greeting = (word: string) =>
  `export const greeting = (name: string): string => \`${word}, \${name}\`;\n`;
const ending = (mark: string) => `export const end = "${mark}";\n`;

/** A folder of a user who has installed the packages, and nothing else. */
function makeProject(): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "oxbow-project-")));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  // As root's Postgres runs under a separate account.
  chmodSync(project, 0o755);
  mkdirSync(join(project, "lib"));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(MIRROR, join(project, "node_modules/@oxbow"));
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  writeFileSync(join(project, "workflows.ts"), HELLO);
  writeFileSync(join(project, "lib/greeting.ts"), greeting("Hello"));
  writeFileSync(join(project, "lib/end.ts"), ending("!"));
  return project;
}

function startDev(project: string, ...args: string[]): WorkerProcess {
  return startWorkerProcess(OXBOW, {
    args: ["dev", "--port", "0", ...args],
    env: { QUEUE_URL: "", DATABASE_URL: "", OXBOW_TOKENS: "" },
    cwd: project,
  });
}

const greet = async (client: WorkflowClient): Promise<unknown> => {
  const run = await client.start("hello", "Ada");
  return run.result({ timeout: "60s" });
};

/** How often it has printed it. */
const times = (dev: WorkerProcess, line: RegExp): number =>
  dev.output.filter((said) => line.test(said)).length;

/** Processes that have a file of the project in their command line, as the one that serves its workflows has. */
function processesOf(project: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return command.includes(project) ? [command] : [];
      } catch {
        // It has just ended.
        return [];
      }
    });
}

describe("oxbow dev", () => {
  it("serves workflows, follows their imports, survives mistakes, and leaves nothing running", async () => {
    const project = makeProject();
    const running = join(project, ".oxbow/running.json");
    mkdirSync(join(project, ".oxbow"));
    writeFileSync(running, "{}", { mode: 0o644 });
    const database = await createDatabase({ empty: true });
    const dev = startDev(project, "--url", database.url);
    await dev.line(/^Serving hello\.$/);
    // The url may contain a password.
    expect(statSync(running).mode & 0o777).toBe(0o600);
    const client = createWorkflowClient({ url: database.url });
    onTestFinished(() => client.close());
    expect(await greet(client)).toBe("Hello, Ada!");
    const [, dashboard = ""] = /(http\S+)$/.exec(await dev.line(/^dashboard/)) ?? [];
    expect(await (await fetch(dashboard)).text()).toContain("<title>Oxbow");

    // Imported by a step, long after the process began to serve.
    writeFileSync(join(project, "lib/end.ts"), ending("."));
    await eventually(() => times(dev, /^Serving hello\.$/), 2);
    expect(await greet(client)).toBe("Hello, Ada.");

    writeFileSync(join(project, "lib/greeting.ts"), "export const greeting = +;\n");
    await dev.line(/^lib\/greeting\.ts:1:\d+: ERROR: Unexpected/);
    writeFileSync(join(project, "lib/greeting.ts"), greeting("Hi"));
    expect(await greet(client)).toBe("Hi, Ada.");

    writeFileSync(join(project, "workflows.ts"), "export const nothing = 1;\n");
    await dev.line(/workflows\.ts exports no workflow/);

    // The server runs as well, and the other commands find the database in this folder.
    const server = (await dev.line(/^server +http/)).split(/ +/)[1] ?? "";
    expect((await fetch(`${server}/readyz`)).status).toBe(200);
    const list = await oxbow(["runs", "list", "--json"], { cwd: project });
    expect(list.stdout.split("\n")).toHaveLength(3);

    expect(await dev.stop()).toEqual({ code: 0, signal: null });
    expect(dev.output.at(-1)).toBe("Stopped.");
    expect(processesOf(project)).toEqual([]);
    await expect(fetch(`${server}/healthz`)).rejects.toThrow();
    expect(await oxbow(["runs", "list"], { cwd: project })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No database: give --url"),
    });
  });

  it("serves the definitions of exported pools, with the node types of the files", async () => {
    const project = makeProject();
    rmSync(join(project, "workflows.ts"));
    const greeter = (text: string) => `
import { createDefinitions, defineNode } from "@oxbow/declared";
import { greeting } from "./lib/greeting.ts";

const greet = defineNode({
  type: "dev.greet",
  params: { type: "object", properties: { name: { type: "string" } } },
  run: ({ params }) => greeting((params as { name: string }).name)${text},
});
export const definitions = createDefinitions({ nodes: [greet] });
`;
    writeFileSync(join(project, "workflows.ts"), greeter(""));
    const document = {
      format: 1,
      name: "welcome",
      input: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
      nodes: {
        greet: { type: "dev.greet@1", params: { name: { $path: "input.name" } } },
        done: { type: "end@1", params: { output: { $path: "nodes.greet.output" } } },
      },
      edges: [{ from: "greet", to: "done" }],
    };
    writeFileSync(join(project, "welcome.json"), JSON.stringify(document));
    const database = await createDatabase({ empty: true });
    const dev = startDev(project, "--url", database.url);
    const serving = /^Serving definitions of pool default\.$/;
    await dev.line(serving);
    await dev.line(/npx oxbow definitions apply <file> --publish/);
    const command = (...args: string[]): ReturnType<typeof oxbow> => oxbow(args, { cwd: project });
    await using client = createWorkflowClient({ url: database.url });
    await eventually(
      () => definitionsOf(client).catalog.nodeTypes(),
      (types) => types.some(({ type }) => type === "dev.greet"),
    );
    expect(await command("definitions", "apply", "welcome.json", "--publish")).toMatchObject({
      code: 0,
      stderr: "",
    });
    const welcome = async (): Promise<unknown> => {
      const [started] = documents(
        await command("definitions", "start", "welcome", '{"name":"Ada"}', "--json"),
      ) as readonly { readonly runId: string }[];
      const run = await eventually(() => client.runs.get("welcome", started?.runId ?? ""), {
        status: "completed",
      });
      return run.output;
    };
    expect(await welcome()).toBe("Hello, Ada");

    writeFileSync(join(project, "workflows.ts"), greeter(' + "!"'));
    await eventually(() => times(dev, serving), 2);
    expect(await welcome()).toBe("Hello, Ada!");

    // The response of a server that fails refers to its log.
    const server = (await dev.line(/^server +http/)).split(/ +/)[1] ?? "";
    await database.query("alter function queue.definition_list rename to definition_lost");
    expect((await fetch(`${server}/v1/definitions`)).status).toBe(500);
    await dev.line(/definition_list.* does not exist/);
    expect(await dev.stop()).toEqual({ code: 0, signal: null });
  });

  it("starts a fleet of shards, which other commands in the folder find, and keeps it", async () => {
    const project = makeProject();
    const command = (...args: string[]): ReturnType<typeof oxbow> => oxbow(args, { cwd: project });
    for (const started of [3, 6]) {
      const dev = startDev(project, "--shards", "2");
      await dev.line(/^Serving hello\.$/);
      const { stdout } = await command("start", "hello", '"Ada"', "--wait", "60s");
      expect(stdout).toContain("Hello, Ada!");
      const server = (await dev.line(/^server +http/)).split(/ +/)[1] ?? "";
      await using client = createWorkflowClient({ url: server });
      // Takes turns.
      for (let n = 0; n < 2; n++) expect(await greet(client)).toBe("Hello, Ada!");
      const ids = documents(await command("runs", "list", "--json")).map((run) =>
        BigInt((run as { runId: string }).runId),
      );
      expect(ids).toHaveLength(started);
      expect(new Set(ids.map((id) => id >> 36n))).toEqual(new Set([0n, 1n]));
      expect((await command("shards", "status")).code).toBe(0);
      expect(await client.runs.count()).toBe(started);
      expect(await dev.stop()).toEqual({ code: 0, signal: null });
    }
    const refused = async (...args: string[]) => (await command("dev", ...args)).stderr;
    expect(await refused()).toContain("give --shards with its number of databases");
    expect(await refused("--shards", "3")).toContain("The fleet has the shards a, b");
    expect(await refused("--shards", "2", "--url", "postgres://x/y")).toContain(
      "--shards creates databases",
    );
  });

  it("ends when it is stopped though the usual port was taken", async () => {
    const taker = createServer();
    await new Promise<void>((resolve) => {
      // Another process may have taken it: then it is taken all the same.
      taker.once("error", () => resolve());
      taker.listen(8_080, "127.0.0.1", resolve);
    });
    onTestFinished(() => void taker.close());
    const dev = startWorkerProcess(OXBOW, {
      args: ["dev", "--ephemeral"],
      env: { QUEUE_URL: "", DATABASE_URL: "", OXBOW_TOKENS: "" },
      cwd: makeProject(),
    });
    await dev.line(/^Serving hello\.$/);
    await dev.line(/^server +http:\/\/127\.0\.0\.1:(?!8080$)\d+$/);
    expect(await dev.stop()).toEqual({ code: 0, signal: null });
  });

  it("keeps the data of its own database from one start to the next", async () => {
    const project = makeProject();
    const data = join(project, "data");
    const first = startDev(project, "--data", data);
    await first.line(/^Serving hello\.$/);
    const started = await oxbow(["start", "hello", '"Ada"', "--wait", "60s"], { cwd: project });
    expect(started).toMatchObject({ code: 0, stdout: '"Hello, Ada!"' });
    expect((await first.stop()).code).toBe(0);

    const second = startDev(project, "--data", data);
    await second.line(/^Serving hello\.$/);
    const list = await oxbow(["runs", "list", "--json"], { cwd: project });
    expect(JSON.parse(list.stdout)).toMatchObject({ name: "hello", status: "completed" });
    expect((await second.stop()).code).toBe(0);
  });

  it("leaves no process when it is killed", async () => {
    const project = makeProject();
    const dev = startDev(project, "--ephemeral");
    await dev.line(/^Serving hello\.$/);
    const url = (await dev.line(/^database +postgres/)).split(/ +/)[1];
    expect(processesOf(project)).toHaveLength(process.platform === "linux" ? 1 : 0);
    await dev.kill();
    await eventually(
      () => oxbow(["workflows"], { env: { QUEUE_URL: url ?? "" } }),
      ({ code, stderr }) => code === 1 && stderr.includes("ECONNREFUSED"),
    );
    await eventually(() => processesOf(project), []);
  });

  it("explains what to write if there is no workflow, and names missing files", async () => {
    const project = makeProject();
    rmSync(join(project, "workflows.ts"));
    const [none, missing] = await Promise.all([
      oxbow(["dev"], { cwd: project }),
      oxbow(["dev", "flows.ts"], { cwd: project }),
    ]);
    expect(none).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining('export const hello = workflow({\n  name: "hello",'),
    });
    expect(missing).toMatchObject({
      code: 3,
      stderr: 'oxbow: File "flows.ts" doesn\'t exist.',
    });
  });
});

/** Also the command of docs/guides/push.md. */
describe("oxbow dev --endpoint", () => {
  /** A function in development: it has no key. */
  function serve(word: string, ...versions: readonly number[]): RequestListener {
    const handler = toNodeHandler(
      createHandler({
        workflows: versions.map((version) =>
          workflow({
            name: "hello",
            version,
            run: (ctx, name: string) => ctx.step.run("greet", () => `${word} ${version}, ${name}!`),
          }),
        ),
        maxDuration: "20s",
        logger: false,
      }),
    );
    return (request, response) => void handler(request, response);
  }

  it("pushes runs to a function, and follows it through absence and changes", async () => {
    const project = makeProject();
    const database = await createDatabase({ empty: true });
    const port = await findFreePort();
    const url = `http://localhost:${port}/api/oxbow`;
    const dev = startDev(project, "--url", database.url, "--endpoint", url);
    await dev.line(new RegExp(`^Can't push runs to ${url}: .*ECONNREFUSED`));
    await using client = createWorkflowClient({ url: database.url });

    let current = serve("Hello", 1);
    const listener: RequestListener = (request, response) => current(request, response);
    const first = await listen(listener, port);
    await dev.line(new RegExp(`^${url} serves hello\\.$`));
    await dev.line(/npx oxbow start hello /);
    // No worker serves workflows.ts, which the function may have imported.
    expect(await greet(client)).toBe("Hello 1, Ada!");
    expect(first.requests["POST"]).toBe(1);

    current = serve("Hi", 1, 2);
    await dev.line(new RegExp(`^${url} serves hello, hello@2\\.$`));
    const newest = await client.start("hello", "Ada", { version: 2 });
    expect(await newest.result({ timeout: "60s" })).toBe("Hi 2, Ada!");

    await first.stop();
    const waiting = await client.start("hello", "Ada", { version: 2 });
    await eventually(() => times(dev, /^Can't push runs to /), atLeast(2));
    current = serve("Back", 1, 2);
    await listen(listener, port);
    expect(await waiting.result({ timeout: "60s" })).toBe("Back 2, Ada!");
    await eventually(() => times(dev, / serves hello, hello@2\.$/), 2);

    expect(await dev.stop()).toEqual({ code: 0, signal: null });
    expect(times(dev, /^(?:Serving|Can't serve) /)).toBe(0);
    expect(await client.endpoints.list()).toEqual([]);
  });

  it("asks for no check while nothing changes, and keeps an endpoint that existed before", async () => {
    const project = makeProject();
    const database = await createDatabase();
    const made = await listen(serve("Hello", 1));
    await using client = createWorkflowClient({ url: database.url });
    const { endpointId } = await client.endpoints.add(made.url, { concurrency: 3 });
    const dev = startDev(project, "--url", database.url, "--endpoint", made.url, "workflows.ts");
    await dev.line(/ serves hello\.$/);
    await dev.line(/^Serving hello\.$/);
    const asked = made.requests["PUT"] ?? 0;
    await eventually(() => made.requests["PUT"] ?? 0, atLeast(asked + 2));
    expect(times(dev, / serves hello\.$/)).toBe(1);
    expect(await dev.stop()).toEqual({ code: 0, signal: null });
    expect(await client.endpoints.list()).toMatchObject([{ endpointId, concurrency: 3 }]);
    const syncs = await database.query(
      "select from queue.audit_list(subject_type => 'endpoint', subject => $1) where action = 'endpoint.sync'",
      [endpointId],
    );
    expect(syncs).toHaveLength(1);
  });

  it.each([
    ["example.org", 'Invalid --endpoint "example.org"'],
    ["http://", 'Invalid --endpoint "http://"'],
    ["http://localhost:3000", "--shards", "2", "can't be combined with --shards"],
  ])("refuses what it can't follow: %s", async (...all) => {
    const args = all.slice(0, -1);
    const end = await oxbow(["dev", "--endpoint", ...args], { cwd: makeProject() });
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain(all.at(-1));
  });
});

describe("oxbow dev --fork-of", () => {
  it("continues the runs of another database, which don't notice, and throws the copy away", async () => {
    const project = makeProject();
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "oxbow-origin-")));
    chmodSync(folder, 0o755);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cluster = await startPostgres({ dataDir: join(folder, "data") });
    onTestFinished(() => cluster.stop({ mode: "immediate" }));
    const url = await cluster.createDatabase("shop");
    await migrate(url);
    const source = createWorkflowClient({ url });
    onTestFinished(() => source.close());
    const { runId } = await source.start("hello", "Ada");

    const dev = startDev(project, "--fork-of", url);
    await dev.line(/forked by copy, deleted on exit/);
    const running = JSON.parse(readFileSync(join(project, ".oxbow/running.json"), "utf8")) as {
      url: string;
    };
    const copy = createWorkflowClient({ url: running.url });
    const run = await eventually(() => copy.runs.get("hello", runId), { status: "completed" });
    await copy.close();
    expect(run.output).toBe("Hello, Ada!");
    expect((await source.runs.get("hello", runId)).status).toBe("running");
    expect(await dev.stop()).toMatchObject({ code: 0 });
    expect(readdirSync(join(project, ".oxbow"))).toEqual([".gitignore"]);
  });

  it("takes no other database besides", async () => {
    const end = await oxbow(["dev", "--fork-of", "postgres://x", "--ephemeral"], {
      cwd: makeProject(),
    });
    expect(end).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--fork-of creates a database") as unknown,
    });
  });
});
