/**
 * The compiled form of what tests start as a process: the command, the server, and the programs of tests. A process
 * then begins as fast as that of a user, rather than by compiling the source once more. `compile.ts` makes it.
 */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGE_SOURCE = /^(sdk|declared|server)\/src\//;

/** The JavaScript of a script; undefined for one that belongs to no project. */
export function compiledFrom(script: URL): string | undefined {
  const source = relative(ROOT, fileURLToPath(script));
  const output = PACKAGE_SOURCE.test(source)
    ? source.replace(PACKAGE_SOURCE, "$1/dist/")
    : join(".tmp/programs", source);
  const path = join(ROOT, output.replace(/\.ts$/, ".js"));
  return existsSync(path) ? path : undefined;
}
