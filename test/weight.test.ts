/**
 * The weight of the main door, which every program loads: names that it exports, own files, and their bytes. Also that of
 * the hooks for React, which pages load, and of the door for functions, which platforms load at each cold start. The limits
 * are what they weigh, so that a change which adds to it is seen. Lower them with the weight.
 */
import { build, type Metafile } from "esbuild";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MOST_NAMES = 171;
const MOST_FILES = 68;
const MOST_HTTP_KB = 123;
const MOST_KB = 86.4;
const MOST_KB_OF_REACT = 4.8;

it(`@oxbow/sdk exports at most ${MOST_NAMES} names`, () => {
  const report = readFileSync(`${ROOT}sdk/api/index.api.md`, "utf8");
  const names = report.match(/^export /gm) ?? [];
  expect(names.length).toBeGreaterThan(100);
  expect(names.length).toBeLessThanOrEqual(MOST_NAMES);
});

it(`@oxbow/sdk loads at most ${MOST_FILES} own files of ${MOST_KB} kB, and no driver`, async () => {
  const { metafile } = await build({
    entryPoints: { index: `${ROOT}sdk/src/index.ts` },
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    minify: true,
    metafile: true,
    write: false,
    outdir: "out",
  });
  const { files, bytes, packages } = loadedBy("out/index.js", metafile);
  expect(packages.toSorted()).toEqual(["croner", "ms"]);
  expect(files).toBeLessThanOrEqual(MOST_FILES);
  expect(bytes / 1_000).toBeLessThanOrEqual(MOST_KB);
});

it(`@oxbow/react and what it loads have at most ${MOST_KB_OF_REACT} kB, minified and compressed, without React`, async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${ROOT}react/src/index.ts`],
    absWorkingDir: ROOT,
    conditions: ["oxbow-source"],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    external: ["react", "react/jsx-runtime"],
    metafile: true,
    write: false,
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  const others = Object.keys(metafile.inputs).filter(
    (path) => !/^(react\/src|sdk\/src\/browser)[/.]/.test(path),
  );
  expect(others).toEqual([]);
  expect(contents.length).toBeGreaterThan(1_000);
  expect(gzipSync(contents).length / 1_000).toBeLessThanOrEqual(MOST_KB_OF_REACT);
});

it(`@oxbow/sdk/http in a bundle for functions loads at most ${MOST_HTTP_KB} kB, and contains no driver`, async () => {
  const { metafile } = await build({
    entryPoints: { http: `${ROOT}sdk/src/http.ts` },
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["oxbow-source", "workerd"],
    external: ["node:*", "ws", "@opentelemetry/api"],
    minify: true,
    metafile: true,
    write: false,
    outdir: "out",
  });
  const { bytes } = loadedBy("out/http.js", metafile);
  expect(
    Object.keys(metafile.inputs).filter((path) => /postgres|node_modules.pg/.test(path)),
  ).toEqual([]);
  expect(bytes / 1_000).toBeLessThanOrEqual(MOST_HTTP_KB);
});

/** What the import of an output loads, without what is imported later. */
function loadedBy(entry: string, { outputs }: Metafile) {
  const loaded = new Set([entry]);
  const packages = new Set<string>();
  let [files, bytes] = [0, 0];
  for (const path of loaded) {
    const output = outputs[path];
    if (output === undefined) throw new Error(`There is no output ${path}.`);
    files += Object.keys(output.inputs).length;
    bytes += output.bytes;
    for (const { path: imported, kind, external } of output.imports) {
      if (kind !== "import-statement") continue;
      if (external !== true) loaded.add(imported);
      else if (!isBuiltin(imported)) packages.add(imported);
    }
  }
  return { files, bytes, packages: [...packages] };
}
