import { readFileSync } from "node:fs";

const LINES = 15;

/** The last lines of the server's log: the reason why it didn't start is among them. */
export function tailOf(logFile: string): string {
  return readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-LINES).join("\n");
}
