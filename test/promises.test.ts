/**
 * Promises are numbered in the heads of files, such as `R5`, and cited by comments elsewhere. A letter serves many files, so
 * a citation names the file, as `L2 in execution.ts`, or counts for the nearest one: its own file, or the only one of the
 * nearest folder that has such a promise.
 */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { trackedTexts } from "../docs/language/tracked.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROMISE = /^ \*   ([A-Z]\d{1,2}) {1,2}(?=\S)/gm;
const COMMENT = /\/\*\*[^]*?\*\/|\/\/[^\n]*/g;
const NAMED = /([A-Z]\d{1,2}) in[\s*]+`?([\w./-]+\.tsx?)`?/g;
const CITATION = /(?<![\w.#-])([A-Z]\d{1,2})(?!\w)/g;

const sources = trackedTexts()
  .filter((path) => /^[a-z]+\/src\/.*\.tsx?$/.test(path) && !path.includes(".test."))
  .map((path) => {
    const text = readFileSync(`${ROOT}${path}`, "utf8");
    const promises = [...text.matchAll(PROMISE)].map(([, promise = ""]) => promise);
    const comments = (text.match(COMMENT) ?? []).join("\n").replaceAll(PROMISE, "");
    const named = [...comments.matchAll(NAMED)].map(([, promise = "", file = ""]) => [
      promise,
      file,
    ]);
    const others = comments.replaceAll(NAMED, "").matchAll(CITATION);
    const cited = new Set([...others].map(([, promise = ""]) => promise));
    return { path, promises, cited: [...cited], named };
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

it("a citation that names a file leads to a promise of it", () => {
  const named = sources.flatMap((source) => source.named);
  const wrong = named.filter(
    ([promise = "", file = ""]) =>
      !sources.some(({ path, promises }) => path.endsWith(file) && promises.includes(promise)),
  );
  expect(named.length).toBeGreaterThan(2);
  expect(wrong).toEqual([]);
});

it("any other citation leads to one promise", () => {
  const ambiguous = sources.flatMap(({ path, promises, cited }) =>
    cited
      .filter((promise) => known.has(promise) && !promises.includes(promise))
      .map((promise) => ({ path, promise, files: nearest(path, promise) }))
      .filter(({ files }) => files.length !== 1),
  );
  expect(ambiguous).toEqual([]);
});
