/** Runs a program to its end, without the settings of the npm that runs the tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter } from "node:path";
import { text } from "node:stream/consumers";
import { programEnvironment } from "./program-environment.ts";

export interface ProgramOptions {
  readonly cwd: string;
  /** Folders in which programs are looked for first. */
  readonly path?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** @throws If the program ends with another exit code than 0; the message holds its output. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, path = [], env = {} }: ProgramOptions,
): Promise<ProgramOutput> {
  const child = spawn(command, args, {
    cwd,
    env: {
      ...programEnvironment(),
      PATH: [...path, process.env["PATH"]].join(delimiter),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (child.exitCode === 0) return { stdout, stderr };
  throw new Error(`${command} ${args.join(" ")} ended with ${child.exitCode}: ${stderr}${stdout}`);
}
