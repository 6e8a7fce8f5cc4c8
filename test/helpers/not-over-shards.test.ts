import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FILES_NOT_OVER_SHARDS, TESTS_NOT_OVER_SHARDS } from "./not-over-shards.ts";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

it("a run over shards leaves out files and tests that exist", () => {
  const files = [...Object.keys(FILES_NOT_OVER_SHARDS), ...Object.keys(TESTS_NOT_OVER_SHARDS)];
  expect(files.filter((path) => !existsSync(at(path)))).toEqual([]);
  for (const [path, tests] of Object.entries(TESTS_NOT_OVER_SHARDS)) {
    const source = readFileSync(at(path), "utf8");
    expect(Object.keys(tests).filter((name) => !source.includes(name))).toEqual([]);
  }
});
