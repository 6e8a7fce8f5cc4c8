/**
 * `make chaos SEED=7 FAULTS="postgres,SQLSTATE 53100" ROUNDS=2`: every fault under the auditor.
 *
 * SEED decides what clients do and which worker is hit; FAULTS chooses some, by parts of their names; TREE is another
 * checkout to try with this suite. Copies the suite into the checkout, compiles both, so that processes start fast and
 * edits change nothing on the way, and runs `programs/chaos.ts`.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const { TREE = "" } = process.env;
const tree = resolve(TREE === "" ? join(here, "..") : TREE);
const copy = join(tree, ".tmp", "audit");

rmSync(copy, { recursive: true, force: true });
mkdirSync(copy, { recursive: true });
for (const part of ["audit", "helpers"]) {
  cpSync(join(here, part), join(copy, "source", part), { recursive: true });
}
// Older checkouts have one door for all that is internal.
if (!existsSync(join(tree, "sdk", "src", "internal"))) {
  const source = join(copy, "source");
  for (const path of readdirSync(source, { encoding: "utf8", recursive: true })) {
    if (!path.endsWith(".ts")) continue;
    const text = readFileSync(join(source, path), "utf8");
    const older = text.replaceAll(/"@oxbow\/sdk\/internal\/\w+"/g, '"@oxbow/sdk/internal"');
    writeFileSync(join(source, path), older);
  }
}
writeFileSync(
  join(copy, "tsconfig.json"),
  JSON.stringify({
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      rootDir: "source",
      outDir: "js",
      rewriteRelativeImportExtensions: true,
      // `make lint` checks it.
      noCheck: true,
    },
    include: ["source/audit"],
  }),
);

run("npm", ["run", "--silent", "build"]);
run("npx", ["tsc", "-p", copy]);
process.exitCode = run(process.execPath, [join(copy, "js", "audit", "programs", "chaos.js")]);

function run(command: string, args: readonly string[]): number {
  const { status } = spawnSync(command, args, {
    cwd: tree,
    stdio: "inherit",
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  return status ?? 1;
}
