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
  try {
    // With the children of each that have ended.
    return processesOf(directory).reduce((sum, { own, children }) => sum + own + children, 0);
  } catch {
    return Number.NaN;
  }
}

/** The processes of the server that keeps its files in a directory. Throws where there is no `/proc`. */
export function processesOf(directory: string): readonly ProcessTime[] {
  const [postmaster] = readFileSync(path.join(directory, "postmaster.pid"), "utf8").split("\n");
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const found = processTime(pid);
      return pid === postmaster || found.parent === postmaster ? [found] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}

interface ProcessTime {
  readonly pid: string;
  /** Process id of its parent. */
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
  return { pid: String(pid), parent: fields[1] ?? "", own: ticks(11), children: ticks(13) };
}
