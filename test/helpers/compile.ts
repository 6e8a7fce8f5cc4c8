/**
 * Before all tests: compiles and bundles what they start as processes, and builds the dashboard, which servers read as it
 * is built.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { buildDashboard } from "../../dashboard/build.ts";
import { buildEditorStyles } from "../../editor/build.ts";
import { bundle } from "./bundle.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Before all tests, and again before each repetition in watch mode. */
export async function setup(project: TestProject): Promise<void> {
  await compile();
  project.onTestsRerun(compile);
}

/** Compiles what has changed since the last time. Errors of types are for `make lint`. */
async function compile(): Promise<void> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const projects = [
    "sdk",
    "fleet",
    "declared",
    "editor",
    "react",
    "ai",
    "server",
    "test/tsconfig.programs.json",
  ];
  spawnSync(process.execPath, [tsc, "-b", ...projects], { cwd: ROOT, stdio: "inherit" });
  buildEditorStyles();
  buildDashboard();
  await bundle();
}
