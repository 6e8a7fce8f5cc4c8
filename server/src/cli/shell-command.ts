/**
 * A command of the user that a shell executes within one of ours. It is over once everything that it has started has
 * ended. If it is late, or ours is stopped, its processes are killed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { environmentWith } from "../config.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface ShellCommandOptions {
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Then it is killed. */
  readonly withinMs: number;
}

/**
 * Executes a command, whose output goes to standard error, as remarks do. Returns how it has failed, as the rest of a
 * sentence about it; undefined if it has not.
 */
export async function executeShellCommand(
  command: string,
  { env, withinMs }: ShellCommandOptions,
): Promise<string | undefined> {
  const child = spawn(command, {
    shell: true,
    // In a separate process group, which is killed as a whole. Signals of the terminal reach only us.
    detached: true,
    env: environmentWith(env),
    // Every process that it starts inherits the last one, wherever its output goes, and the last of them closes it.
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let problem: string | undefined;
  const stop = (why: string): void => {
    problem ??= why;
    if (child.pid !== undefined) killGroup(child.pid);
    // A process that has left the group has them open still.
    for (const pipe of child.stdio) pipe?.destroy();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    stop(`was killed because of ${signal}`);
  };
  const late = `has not ended within ${withinMs / 1_000} seconds, with all that it has started, and was killed`;
  const timer = setTimeout(stop, withinMs, late);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  for (const output of [child.stdout, child.stderr]) output?.pipe(process.stderr, { end: false });
  try {
    await once(child, "close");
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
  if (problem !== undefined) return problem;
  if (child.exitCode === 0) return undefined;
  return child.exitCode === null
    ? `was killed by ${String(child.signalCode)}`
    : `ended with ${child.exitCode}`;
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended, or is another user's.
  }
}
