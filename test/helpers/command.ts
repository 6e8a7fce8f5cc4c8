/** The command `oxbow` as a process, by the entry of its package. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MIRROR } from "./compiled.ts";

/** The entry that users run, over the bundled command. */
export const OXBOW = pathToFileURL(join(MIRROR, "server/bin/oxbow.js"));

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `oxbow` to its end. It has no terminal, and no url but what `env` gives. */
export async function oxbow(
  args: readonly string[],
  {
    env = {},
    stdin,
    cwd,
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly stdin?: string;
    readonly cwd?: string;
  } = {},
): Promise<CommandEnd> {
  const child = spawn(process.execPath, [fileURLToPath(OXBOW), ...args], {
    env: { ...process.env, NODE_OPTIONS: "", QUEUE_URL: "", DATABASE_URL: "", ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  child.stdin.end(stdin);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code: child.exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

/** `oxbow` of one database. */
export const oxbowOf =
  (url: string) =>
  (...args: readonly string[]): Promise<CommandEnd> =>
    oxbow(args, { env: { QUEUE_URL: url } });

/** The output of `--json`: a document a line. */
export const documents = ({ stdout }: CommandEnd): unknown[] =>
  stdout === "" ? [] : stdout.split("\n").map((line) => JSON.parse(line) as unknown);
