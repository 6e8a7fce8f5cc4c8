/** The texts that the checks of the language read: all that git tracks, or what is under the paths of the command line. */
import { execFileSync } from "node:child_process";

/** Names that users already have, recordings, migrations that databases have applied, and the lists of these checks. */
const LEFT_OUT =
  /^(docs\/language\/|extension-sql\/released\/|migrations\/00([0-5]\d|6[0-7])_|package-lock\.json|.*\/generated\/)/;

const roots = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

/** Whether the command line names paths. */
export const readsAPart = (): boolean => roots.length > 0;

export function trackedTexts(): string[] {
  const paths = execFileSync("git", ["ls-files", "-z", "--", ...roots], { encoding: "utf8" });
  return paths.split("\0").filter((path) => path !== "" && !LEFT_OUT.test(path));
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
