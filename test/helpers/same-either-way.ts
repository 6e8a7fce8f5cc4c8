/**
 * The test files to which OXBOW_TEST_TRANSPORT makes no difference, since they don't use the helpers that choose
 * between the database, a server and shards. A run through a server or over shards leaves them out.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHOOSES = /from "\.\.\/helpers\/(transport|workflows|client-queues)\.ts"/;

export function sameEitherWay(...folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith(".test.ts"))
    .filter((path) => !CHOOSES.test(readFileSync(join(ROOT, path), "utf8")));
}
