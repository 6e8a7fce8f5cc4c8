/**
 * The weight of the main door, which every program loads: names that it exports, own files, and their bytes. The limits
 * are what it weighs, so that a change which adds to it is seen. Lower them with the weight.
 */
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MOST_NAMES = 176;
const MOST_FILES = 176;
const MOST_KB = 245;

it(`@oxbow/sdk exports at most ${MOST_NAMES} names`, () => {
  const report = readFileSync(`${ROOT}sdk/api/index.api.md`, "utf8");
  const names = report.match(/^export /gm) ?? [];
  expect(names.length).toBeGreaterThan(100);
  expect(names.length).toBeLessThanOrEqual(MOST_NAMES);
});

it(`@oxbow/sdk loads at most ${MOST_FILES} own files of ${MOST_KB} kB`, async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${ROOT}sdk/src/index.ts`],
    absWorkingDir: ROOT,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    minify: true,
    metafile: true,
    write: false,
  });
  const files = Object.keys(metafile.inputs).length;
  const kB = (outputFiles[0]?.contents.byteLength ?? Infinity) / 1_000;
  expect(files).toBeLessThanOrEqual(MOST_FILES);
  expect(kB).toBeLessThanOrEqual(MOST_KB);
});
