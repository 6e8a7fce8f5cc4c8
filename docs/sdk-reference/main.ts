/**
 * Writes the API reports of the SDK (`sdk/api/`) and its reference (`docs/reference/sdk/`); with `--check`, only compares
 * them. Expects `sdk/dist` to be built.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Door, DOORS, extract, modelPath } from "./extract.ts";
import { type ApiItem, renderDoor } from "./render.ts";

const PAGES = fileURLToPath(new URL("../reference/sdk", import.meta.url));
const PAGE_NAMES: Readonly<Record<Door, string>> = {
  index: "client",
  runtime: "runtime",
  testing: "testing",
};

const isCheck = process.argv.includes("--check");
const { changed } = extract(!isCheck);
const stale = changed.map((door) => `sdk/api/${door}.api.md`);
for (const door of DOORS) {
  const name = `${PAGE_NAMES[door]}.md`;
  const page = join(PAGES, name);
  const text = renderDoor(door, exportsOf(door));
  if (existsSync(page) && readFileSync(page, "utf8") === text) continue;
  stale.push(`docs/reference/sdk/${name}`);
  if (isCheck) continue;
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, text);
}
if (isCheck && stale.length > 0) {
  process.stderr.write(
    `The public types of the SDK changed. Run \`make docs\`, then review the diff of:\n${stale.join("\n")}\n`,
  );
  process.exitCode = 1;
}

function exportsOf(door: Door): readonly ApiItem[] {
  // API Extractor numbers an export whose name is also that of a global, such as Headers.
  const text = readFileSync(modelPath(door), "utf8").replaceAll(/\b([A-Z]\w+)_2\b/g, "$1");
  const model = JSON.parse(text) as ApiItem;
  return model.members?.[0]?.members ?? [];
}
