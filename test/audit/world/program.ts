/** The suite's own processes, compiled: by the tests before they begin, and by the long form, which compiles itself. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The root of the source that is under test: the suite may be a copy in another checkout. */
export const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

export const program = (name: string): URL => {
  const isCompiled = import.meta.url.endsWith(".js");
  return new URL(`../programs/${name}.${isCompiled ? "js" : "ts"}`, import.meta.url);
};

export const SERVER = pathToFileURL(join(ROOT, "server/dist/main.js"));

function findRoot(folder: string): string {
  return existsSync(join(folder, "extension-sql")) ? folder : findRoot(dirname(folder));
}
