/**
 * The quickstart, and the commands of README.md, followed word for word in an empty folder: with the packed packages, or
 * by `make test-published` with a version from the registry. While the run of the quickstart sleeps, its worker is
 * killed and started again, as the page suggests.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { type PackedPackages, packPackages } from "../helpers/packages.ts";
import { runCommand, Terminal, userEnvironment } from "../helpers/terminal.ts";
import { blocksOf, readPage } from "./pages.ts";

/** Undefined if the packages are packed from this checkout. */
const published = process.env["OXBOW_PUBLISHED_VERSION"];
const directory = mkdtempSync(join(tmpdir(), "oxbow-follow-"));
const folder = join(directory, "quickstart");
/** Environment of the person who follows the page: what is exported in one terminal is typed into the others. */
const env: NodeJS.ProcessEnv = {
  ...userEnvironment(),
  npm_config_prefer_offline: String(published === undefined),
};
const terminals: Terminal[] = [];
let packages: PackedPackages;

const start = (command: string, cwd: string): Terminal => {
  const terminal = new Terminal(command, { cwd, env });
  terminals.push(terminal);
  return terminal;
};

async function query(statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: env["QUEUE_URL"] });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  } finally {
    await client.end();
  }
}

const run = (command: string, cwd: string): Promise<string> => runCommand(command, { cwd, env });

/** The command with the packages under test. */
const withPackages = (command: string): string => {
  if (published !== undefined) return command.replaceAll(/@oxbow\/\w+/g, `$&@${published}`);
  const local = command.replaceAll(
    /@oxbow\/(sdk|server)/g,
    (_, name: keyof PackedPackages) => packages[name],
  );
  // What the server depends on comes from here as well.
  const installsServer = /^npm (install|i) /.test(command) && command.includes("@oxbow/server");
  return installsServer ? `${local} ${packages.fleet} ${packages.declared}` : local;
};

const commandsOf = (block: string): string[] =>
  block
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, ""))
    .filter((line) => line !== "");

beforeAll(async () => {
  // Postgres, which never runs as root, has to get in.
  chmodSync(directory, 0o755);
  if (published === undefined) packages = await packPackages();
  await run(`mkdir ${folder}`, directory);
});
afterAll(async () => {
  await Promise.all(terminals.map((terminal) => terminal.interrupt()));
  rmSync(directory, { recursive: true, force: true });
});

describe("followed word for word", () => {
  it("the quickstart leads to a run that has ended, and is looked at", async () => {
    const shown: Record<string, string> = {};
    let worker: Terminal | undefined;
    const page = readPage("docs/quickstart.md").text;
    const blocks = page.matchAll(/(?:`([\w-]+\.ts)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm);
    for (const [, file = "", language, code = ""] of blocks) {
      if (language === "ts") writeFileSync(join(folder, file), code);
      else if (language === "sql") await query(code);
      else if (language !== "sh") throw new Error(`This test can't follow ${language}.`);
      else
        for (const command of commandsOf(code)) {
          if (command === "npx tsx database.ts") {
            const database = start(command, folder);
            env["QUEUE_URL"] = await database.shows(/^export QUEUE_URL=(.+)$/m);
          } else if (command === "npx tsx worker.ts") {
            worker = start(command, folder);
          } else if (command === "npx tsx start.ts") {
            const starting = start(command, folder);
            await eventually(
              () => query("select name from queue.workflow_journal(1)"),
              (steps) => steps.some(({ name }) => name === "compose"),
              { withinMs: 90_000 },
            );
            await worker?.kill();
            start("npx tsx worker.ts", folder);
            await starting.ended;
            shown[command] = starting.output;
          } else shown[command] = await run(withPackages(command), folder);
        }
    }
    expect(shown["npx oxbow migrate"]).toContain("Installed Oxbow");
    expect(shown["npx tsx start.ts"]).toContain("1 Hello, Ada! (delivered)\n");
    const [composed] = await query(
      "select name, attempts, started_at + interval '10 s' <= now() as slept from queue.workflow_journal(1)",
    );
    expect(composed).toEqual({ name: "compose", attempts: 1, slept: true });
    expect(shown["npx oxbow runs list"]).toContain("greet");
    expect(shown["npx oxbow runs show 1"]).toMatch(
      /^compose +run[\s\S]+^pause +sleep[\s\S]+^deliver +run/m,
    );
  }, 400_000);

  it("the README leads from nothing to a result", async () => {
    const project = join(directory, "readme");
    const block = blocksOf(readPage("README.md"), "sh").find((text) =>
      text.includes("npm install"),
    );
    const [install = "", dev = "", ...others] = commandsOf(block ?? "");
    expect(others).toEqual([]);
    await run(`mkdir ${project}`, directory);
    await run(withPackages(install), project);
    delete env["QUEUE_URL"];
    const running = start(dev, project);
    await running.shows(/Serving hello\./);
    // The command that it prints for another terminal, with an input.
    const suggested = await running.shows(/(npx oxbow start hello) '<input as JSON>' --wait 30s/);
    const startHello = `${suggested} '{"name": "Ada"}' --wait 30s`;
    expect(await run(startHello, project)).toContain('"Hello, Ada!"');
    await running.interrupt();
    expect(running.output).toContain("Stopped.");
  }, 400_000);
});
