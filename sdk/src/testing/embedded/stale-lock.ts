import { readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commandOf } from "./process-table.ts";

/**
 * Removes the lock file that a crash of the machine has left in a data directory, if another program has the process id of
 * its server by now: Postgres would not start. It decides by itself about a process that has ended, and about one of
 * another account.
 */
export function removeStaleLock(dataDir: string): void {
  const path = join(dataDir, "postmaster.pid");
  let pid: number;
  try {
    pid = Number(readFileSync(path, "utf8").split("\n", 1)[0]);
  } catch {
    return; // The server was stopped, or has never been started.
  }
  const command = commandOf(pid);
  if (command !== undefined && !mayServe(command, dataDir)) rmSync(path, { force: true });
}

/** Whether a command line may be that of the server with these data. */
function mayServe(command: readonly string[], dataDir: string): boolean {
  const [program = ""] = command;
  // Processes beneath a server are titled "postgres: …", and lock nothing.
  if (!/postgres|postmaster/.test(program) || program.startsWith("postgres: ")) return false;
  const other = command[command.indexOf("-D") + 1];
  return !command.includes("-D") || other === undefined || isSame(other, dataDir);
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return one === other;
  }
}
