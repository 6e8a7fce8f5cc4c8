/**
 * The quickstart, and the commands of README.md, followed word for word in an empty folder: with the packed packages, or
 * by `make test-published` with a version from the registry. While the run of the quickstart sleeps, its worker is
 * killed and started again, as the page suggests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { type PackedPackages, packPackages } from "../helpers/packages.ts";
import { programEnvironment } from "../helpers/program-environment.ts";
import { blocksOf, readPage } from "./pages.ts";

/** Undefined if the packages are packed from this checkout. */
const published = process.env["OXBOW_PUBLISHED_VERSION"];
const directory = mkdtempSync(join(tmpdir(), "oxbow-follow-"));
const folder = join(directory, "quickstart");
/** Environment of the person who follows the page: what is exported in one terminal is typed into the others. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(programEnvironment()).filter(
      ([name]) => !/^(vitest|QUEUE_|DATABASE_)/i.test(name),
    ),
  ),
  npm_config_prefer_offline: String(published === undefined),
  npm_config_audit: "false",
  npm_config_fund: "false",
};
const terminals: Terminal[] = [];
let packages: PackedPackages;

/** A command that runs in a separate terminal. */
class Terminal {
  output = "";
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(command: string, cwd: string) {
    this.#child = spawn("bash", ["-c", command], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { stdout, stderr } = this.#child;
    for (const stream of [stdout, stderr]) {
      stream?.on("data", (text: Buffer) => {
        this.output += text.toString();
      });
    }
    this.ended = once(this.#child, "close").then(() => this.#child.exitCode);
    terminals.push(this);
  }

  async shows(pattern: RegExp): Promise<string> {
    const hasEnded = (): boolean => this.#child.exitCode !== null;
    await eventually(
      () => this.output,
      (output) => pattern.test(output) || hasEnded(),
      { withinMs: 90_000 },
    );
    const found = pattern.exec(this.output);
    if (found === null) throw new Error(`It ended without ${String(pattern)}:\n${this.output}`);
    return found[1] ?? found[0];
  }

  /** SIGKILL to everything that the command has started. */
  async kill(): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
    await this.ended;
  }

  /** Ctrl-C. */
  async interrupt(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGINT");
    await this.ended;
  }
}

const start = (command: string, cwd: string): Terminal => new Terminal(command, cwd);

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

async function run(command: string, cwd: string): Promise<string> {
  const terminal = start(command, cwd);
  const code = await terminal.ended;
  if (code === 0) return terminal.output;
  throw new Error(`\`${command}\` ended with ${code}:\n${terminal.output}`);
}

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
