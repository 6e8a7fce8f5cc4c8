/** The suite's own processes: TypeScript in tests, and JavaScript in the long form, which compiles itself. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The root of the source that is under test: the suite may be a copy in another checkout. */
export const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

const isCompiled = import.meta.url.endsWith(".js");

/** How node runs a script of the suite, or of the server. */
export const FLAGS: readonly string[] = isCompiled
  ? []
  : ["--import", import.meta.resolve("tsx"), "--conditions=oxbow-source"];

export const program = (name: string): URL =>
  new URL(`../programs/${name}.${isCompiled ? "js" : "ts"}`, import.meta.url);

export const SERVER = pathToFileURL(
  join(ROOT, isCompiled ? "server/dist/main.js" : "server/src/main.ts"),
);

function findRoot(folder: string): string {
  return existsSync(join(folder, "extension-sql")) ? folder : findRoot(dirname(folder));
}
