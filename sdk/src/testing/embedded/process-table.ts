/** The operating system's view of processes that aren't our children, of whose end we get no event. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 5;

/** Resolves when the processes have ended; rejects when that takes longer than `timeoutMs`. */
export async function gone(pids: readonly number[], timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const alive = pids.filter((pid) => isAlive(pid));
    if (alive.length === 0) return;
    if (performance.now() > deadline) {
      throw new Error(`Processes ${alive.join(", ")} still run after ${timeoutMs} ms.`);
    }
    await delay(POLL_MS);
  }
}

/** True until a process has ended; a zombie is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || readStat(pid) !== undefined;
}

/** Kills a process and its children, and returns the ids of them all. */
export function killFamily(pid: number): number[] {
  // So that no child is born after they were listed.
  if (process.platform !== "win32") send(pid, "SIGSTOP");
  const children = list().filter(({ parent }) => parent === pid);
  const family = [pid, ...children.map((child) => child.pid)];
  for (const member of family) send(member, "SIGKILL");
  return family;
}

/** A process that has just ended is no error. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The command line of a process; undefined if it has ended, and where there is no `/proc`. */
export function commandOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return text === "" ? undefined : text.split("\0");
  } catch {
    return undefined;
  }
}

interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
}

function list(): ListedProcess[] {
  if (process.platform === "linux") {
    // Not ps: slim images don't have it.
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readStat(Number(name)) ?? []);
  }
  if (process.platform === "win32") return [];
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return pid === undefined || parent === undefined ? [] : [{ pid, parent }];
  });
}

/** `pid (name) state parent …`; the name may hold anything, so the rest is found from its end. */
function readStat(pid: number): ListedProcess | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : { pid, parent: Number(parent) };
}
