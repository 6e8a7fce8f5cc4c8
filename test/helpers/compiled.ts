/**
 * The compiled form of what tests start as a process: the command, the server, and the programs of tests. `compile.ts`
 * makes it, and joins it into files that node loads fast (`bundle.ts`).
 */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A mirror of the repository. It has the packages by their names, so it can stand for `node_modules/@oxbow`. */
export const MIRROR = join(ROOT, ".tmp/bundled");

/** The packages in it. */
export const BUNDLED = ["sdk", "fleet", "declared", "server"] as const;

const PACKAGE_SOURCE = new RegExp(`^(${BUNDLED.join("|")})/src/`);

/** The JavaScript of a script; undefined for one that isn't compiled. */
export function compiledFrom(script: URL): string | undefined {
  const source = relative(ROOT, fileURLToPath(script));
  const path = join(MIRROR, source.replace(PACKAGE_SOURCE, "$1/dist/").replace(/\.ts$/, ".js"));
  return existsSync(path) ? path : undefined;
}
