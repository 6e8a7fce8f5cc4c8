/**
 * Promises are numbered in the heads of files, such as `R5`, and cited by comments elsewhere. A letter serves many files, so
 * a citation counts for the nearest one: its own file, or the only one of the nearest folder that has such a promise.
 */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { trackedTexts } from "../docs/language/tracked.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROMISE = /^ \*   ([A-Z]\d{1,2})  /gm;
const COMMENT = /\/\*\*[^]*?\*\/|\/\/[^\n]*/g;
const CITATION = /(?<![\w.#-])([A-Z]\d{1,2})(?!\w)/g;

const sources = trackedTexts()
  .filter((path) => /^[a-z]+\/src\/.*\.tsx?$/.test(path) && !path.includes(".test."))
  .map((path) => {
    const text = readFileSync(`${ROOT}${path}`, "utf8");
    const promises = [...text.matchAll(PROMISE)].map(([, promise = ""]) => promise);
    const comments = (text.match(COMMENT) ?? []).join("\n").replaceAll(PROMISE, "");
    const cited = new Set([...comments.matchAll(CITATION)].map(([, promise = ""]) => promise));
    return { path, promises, cited: [...cited] };
  });
const known = new Set(sources.flatMap(({ promises }) => promises));

/** The files of the nearest folder around a file that make a promise. */
function nearest(path: string, promise: string): string[] {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const found = sources.filter(
      (source) => source.path.startsWith(`${folder}/`) && source.promises.includes(promise),
    );
    if (found.length > 0) return found.map((source) => source.path);
  }
  return [];
}

it("a file makes each promise once", () => {
  const repeated = sources.filter(({ promises }) => new Set(promises).size < promises.length);
  expect(repeated.map(({ path }) => path)).toEqual([]);
  expect(known.size).toBeGreaterThan(100);
});

it("a citation leads to one promise", () => {
  const ambiguous = sources.flatMap(({ path, promises, cited }) =>
    cited
      .filter((promise) => known.has(promise) && !promises.includes(promise))
      .map((promise) => ({ path, promise, files: nearest(path, promise) }))
      .filter(({ files }) => files.length !== 1),
  );
  expect(ambiguous).toEqual([]);
});
