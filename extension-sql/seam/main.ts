/** Writes `functions.ts` of each room in `sdk/src/transport/postgres/`: see `files.ts`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { generatedFiles } from "./files.ts";

for (const [path, text] of await generatedFiles()) {
  // Unchanged files keep their time, and with it what was compiled of them.
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
