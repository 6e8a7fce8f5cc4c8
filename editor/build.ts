/** Joins the stylesheets of the editor into `editor/dist/style.css`, which applications load as one file. */
/// <reference types="node" />
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const ROOT = dirname(fileURLToPath(import.meta.url));
const SOURCE = join(ROOT, "src/styles/editor.css");
const BUILT = join(ROOT, "dist/style.css");

/** Writes the stylesheet. */
export function buildEditorStyles(): void {
  const style = inlined(SOURCE);
  mkdirSync(dirname(BUILT), { recursive: true });
  writeFileSync(BUILT, style);
}

/** A stylesheet with its imports in their places. */
function inlined(path: string): string {
  return readFileSync(path, "utf8").replaceAll(
    /^@import "([^"]+)";$/gm,
    (_all: string, target: string) => inlined(located(target, path)),
  );
}

const located = (target: string, from: string): string =>
  target.startsWith(".") ? join(dirname(from), target) : require.resolve(target);

if (process.argv[1] === fileURLToPath(import.meta.url)) buildEditorStyles();
