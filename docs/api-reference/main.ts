/**
 * Writes the API report of each public door (`<package>/api/`) and its page of the reference; with `--check`, only
 * compares them. Expects the packages to be built.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Door, DOORS, reportOf } from "./doors.ts";
import { extract, modelPath } from "./extract.ts";
import { type ApiItem, renderDoor } from "./render.ts";

const PAGES = fileURLToPath(new URL("../reference", import.meta.url));

const isCheck = process.argv.includes("--check");
const stale = extract({ writes: !isCheck }).map((door) => reportOf(door));
for (const door of DOORS) {
  const page = join(PAGES, door.page);
  const text = renderDoor(door, exportsOf(door));
  if (existsSync(page) && readFileSync(page, "utf8") === text) continue;
  stale.push(`docs/reference/${door.page}`);
  if (isCheck) continue;
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, text);
}
if (isCheck && stale.length > 0) {
  process.stderr.write(
    `The public types changed. Run \`make docs\`, then review the diff of:\n${stale.join("\n")}\n`,
  );
  process.exitCode = 1;
}

function exportsOf(door: Door): readonly ApiItem[] {
  // API Extractor numbers an export whose name is also that of a global, such as Headers.
  const text = readFileSync(modelPath(door), "utf8").replaceAll(/\b([A-Z]\w+)_2\b/g, "$1");
  const model = JSON.parse(text) as ApiItem;
  return model.members?.[0]?.members ?? [];
}
