/**
 * Every block of code of the README, the quickstart, the guides, the pages for operators, the page for those who come from
 * other systems, the guide to automations and the guide to node types is executed.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { PACKAGES } from "../../extension-sql/release/packages.ts";
import { BUNDLED, MIRROR } from "../helpers/compiled.ts";
import { type PackedPackages, packPackages } from "../helpers/packages.ts";
import { markOf, programOf } from "./page-program.ts";
import { allBlocksOf, allPages, type Block, type Page, ROOT } from "./pages.ts";

/** Why no test can execute a block. */
const REASONS = new Set([
  "needs Docker",
  "needs Kubernetes",
  "needs an OpenID provider",
  "changes the machine's Postgres",
  "of another system",
]);

const pages = allPages().filter(({ path }) =>
  /^(README|docs\/(quickstart|from-other-systems|declared\/(automations|nodes\/write-a-node)|(guides|operate)\/.*))\.md$/.test(
    path,
  ),
);
/** Files that other tests run, which a page shows whole: executed here as well, unless they import other files. */
const shown = new Set(
  ["examples", "examples/transactions"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
  ),
);
const isElsewhere = ({ language, code, runBy, leftOut }: Block): boolean =>
  language === "mermaid" ||
  runBy !== undefined ||
  leftOut !== undefined ||
  (/ from "\.\.?\//.test(code) && shown.has(code));

// Within the repository, so that what the packages depend on is found.
mkdirSync(join(ROOT, ".tmp"), { recursive: true });
const folder = mkdtempSync(join(ROOT, ".tmp", "pages-"));
const bin = join(folder, "node_modules/.bin");
const nameOf = ({ path }: Page): string => basename(path, ".md").toLowerCase();
let complaints: readonly string[] = [];

beforeAll(async () => {
  unpack(await packPackages());
  copyFileSync(join(ROOT, "test/docs/page-harness.ts"), join(folder, "page-harness.ts"));
  for (const page of executable) {
    writeFileSync(join(folder, `${nameOf(page)}.ts`), programOf(page, isElsewhere));
  }
  complaints = compile();
  useBundled();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const executable = pages.filter((page) => !allBlocksOf(page).every(isElsewhere));

describe.concurrent("the code of", () => {
  it.each(executable.map((page) => [page.path, page] as const))(
    "%s is executed, block for block",
    async (_path, page) => {
      const blocks = allBlocksOf(page).filter((block) => !isElsewhere(block));
      const program = spawn(process.execPath, [join(folder, "js", `${nameOf(page)}.js`)], {
        cwd: folder,
        env: {
          ...process.env,
          NODE_OPTIONS: "",
          CLUSTER_URL: inject("clusterUrl"),
          TEMPLATE: inject("templateDatabase"),
          BIN: bin,
        },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 220_000,
      });
      const [output, errors] = await Promise.all([
        text(program.stdout),
        text(program.stderr),
        once(program, "close"),
      ]);
      const executed = output.split("\n").filter((line) => line.startsWith("executed the block"));
      expect({ executed, errors: program.exitCode === 0 ? "" : errors }).toEqual({
        executed: blocks.map(markOf),
        errors: "",
      });
    },
    240_000,
  );
});

it("compiles, against the types of the packages", () => {
  expect(complaints).toEqual([]);
});

it("leaves out only what a reason of the list or another test accounts for", () => {
  const blocks = pages.flatMap((page) => allBlocksOf(page).map((block) => ({ page, block })));
  expect(blocks.length).toBeGreaterThan(80);
  const unaccounted = blocks.filter(({ page, block: { leftOut, runBy } }) =>
    leftOut === undefined ? runBy !== undefined && !mentions(runBy, page) : !REASONS.has(leftOut),
  );
  expect(unaccounted.map(({ page, block }) => `${page.path}:${block.line}`)).toEqual([]);
});

const mentions = (test: string, { path }: Page): boolean =>
  existsSync(join(ROOT, test)) && readFileSync(join(ROOT, test), "utf8").includes(path);

/** The packages as they are published, whose dependencies are those of the repository. */
function unpack(packages: PackedPackages): void {
  mkdirSync(bin, { recursive: true });
  for (const name of PACKAGES) {
    const target = join(folder, "node_modules/@oxbow", name);
    mkdirSync(target, { recursive: true });
    run("tar", ["-xzf", packages[name], "-C", target, "--strip-components=1"]);
  }
  symlinkSync("../@oxbow/server/bin/oxbow.js", join(bin, "oxbow"));
  // All that npx does here, without npm.
  writeFileSync(join(bin, "npx"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
}

/**
 * Puts the bundled form of the packages in the place of their files, which node takes much longer to load: the pages start
 * a hundred processes. That the packages are whole is shown by `install/packages.test.ts`.
 */
function useBundled(): void {
  for (const name of BUNDLED) {
    const place = join(folder, "node_modules/@oxbow", name);
    rmSync(place, { recursive: true });
    symlinkSync(join(MIRROR, name), place);
  }
}

/** Returns the errors of types, a line each. */
function compile(): readonly string[] {
  const compilerOptions = {
    customConditions: [],
    rootDir: ".",
    outDir: "js",
    rewriteRelativeImportExtensions: true,
    // The reader's own code has no types here, and a fragment may end with a throw.
    noImplicitAny: false,
    allowUnreachableCode: true,
    // As most projects have it.
    noUncheckedIndexedAccess: false,
    noImplicitReturns: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.base.json", compilerOptions, include: ["*.ts"] }),
  );
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line.includes("error TS"));
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}
