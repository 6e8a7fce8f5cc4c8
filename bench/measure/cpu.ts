/** CPU time of this process and of a Postgres server, which a busy machine changes less than the time by the clock. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Of `/proc`: the kernel counts in hundredths of a second. */
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

/** Of a process of the server, with its children that have ended. */
function timeOf(pid: string, postmaster: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isOurs = pid === postmaster || fields[1] === postmaster;
    const ticks = isOurs ? fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) : 0;
    return ticks * MS_A_TICK;
  } catch {
    // It has ended.
    return 0;
  }
}
