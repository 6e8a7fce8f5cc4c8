/**
 * The compiled form of what tests start as a process: the command, the server, and the programs of tests. A process
 * then begins as fast as that of a user, rather than by compiling the source once more. And the dashboard, which servers
 * read as it is built.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { buildDashboard } from "../../dashboard/build.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGE_SOURCE = /^(sdk|declared|server)\/src\//;

/** Before all tests, and again before each repetition in watch mode. */
export function setup(project: TestProject): void {
  compile();
  project.onTestsRerun(compile);
}

/** Compiles what has changed since the last time. Errors of types are for `make lint`. */
function compile(): void {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const projects = ["sdk", "declared", "server", "test/tsconfig.programs.json"];
  spawnSync(process.execPath, [tsc, "-b", ...projects], { cwd: ROOT, stdio: "inherit" });
  buildDashboard();
}

/** The JavaScript that `compile` has made of a script; undefined for one that belongs to no project. */
export function compiledFrom(script: URL): string | undefined {
  const source = relative(ROOT, fileURLToPath(script));
  const output = PACKAGE_SOURCE.test(source)
    ? source.replace(PACKAGE_SOURCE, "$1/dist/")
    : join(".tmp/programs", source);
  const path = join(ROOT, output.replace(/\.ts$/, ".js"));
  return existsSync(path) ? path : undefined;
}
