/** CPU time of this process and of a Postgres server, which a busy machine changes less than the time by the clock. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Milliseconds of a tick in `/proc`: the kernel counts in hundredths of a second. */
const MS_A_TICK = 10;

/** Milliseconds so far. `database` is NaN where there is no `/proc`. */
export interface CpuTime {
  readonly process: number;
  readonly database: number;
}

/** @param directory Where the server keeps its files. */
export function cpuTime(directory: string): CpuTime {
  const { user, system } = process.cpuUsage();
  return { process: (user + system) / 1_000, database: databaseTime(directory) };
}

function databaseTime(directory: string): number {
  const [postmaster = ""] = readFileSync(path.join(directory, "postmaster.pid"), "utf8").split(
    "\n",
  );
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .reduce((sum, pid) => sum + timeOf(pid, postmaster), 0);
  } catch {
    return Number.NaN;
  }
}

/** CPU time of a process of the server, with its children that have ended. */
function timeOf(pid: string, postmaster: string): number {
  try {
    const { parent, own, children } = processTime(pid);
    return pid === postmaster || parent === postmaster ? own + children : 0;
  } catch {
    // It has ended.
    return 0;
  }
}

interface ProcessTime {
  /** Its process id. */
  readonly parent: string;
  /** Milliseconds so far. */
  readonly own: number;
  /** CPU time of its children that have ended, in milliseconds. */
  readonly children: number;
}

/** Throws if there is no such process. */
export function processTime(pid: number | string): ProcessTime {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = (at: number): number => (Number(fields[at]) + Number(fields[at + 1])) * MS_A_TICK;
  return { parent: fields[1] ?? "", own: ticks(11), children: ticks(13) };
}
