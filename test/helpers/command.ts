/** The command `oxbow`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { executeByHost } from "./command-hosts.ts";
import { MIRROR } from "./compiled.ts";
import type { HostedCommand } from "./programs/command-host.ts";

/** The entry that users run, over the bundled command. */
export const OXBOW = pathToFileURL(join(MIRROR, "server/bin/oxbow.js"));

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** These start processes, or wait for signals. */
const NEEDS_PROCESS = new Set(["dev", "fork", "mcp", "server", "worker"]);

/** Runs `oxbow` to its end. It has no terminal, and no url but what `env` gives. */
export async function oxbow(
  args: readonly string[],
  { env = {}, stdin = "", cwd = process.cwd() }: CommandOptions = {},
): Promise<CommandEnd> {
  const command = {
    args,
    env: { ...process.env, NODE_OPTIONS: "", QUEUE_URL: "", DATABASE_URL: "", ...env },
    stdin,
    cwd,
  };
  const execute = NEEDS_PROCESS.has(args[0] ?? "") ? executeByProcess : executeByHost;
  const { code, stdout, stderr } = await execute(command);
  return { code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

/** Executes the entry of the package. */
async function executeByProcess({ args, env, stdin, cwd }: HostedCommand): Promise<CommandEnd> {
  const child = spawn(process.execPath, [fileURLToPath(OXBOW), ...args], {
    env,
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(stdin);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code: child.exitCode, stdout, stderr };
}

/** `oxbow` of one database. */
export const oxbowOf =
  (url: string) =>
  (...args: readonly string[]): Promise<CommandEnd> =>
    oxbow(args, { env: { QUEUE_URL: url } });

/** The output of `--json`: a document a line. */
export const documents = ({ stdout }: CommandEnd): unknown[] =>
  stdout === "" ? [] : stdout.split("\n").map((line) => JSON.parse(line) as unknown);
