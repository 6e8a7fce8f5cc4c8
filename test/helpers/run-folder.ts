/** Before all tests: makes a folder for what files of the run share (`packages.ts`). After them: removes it. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    folderOfRun: string;
  }
}

export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-tests-"));
  // Other accounts read what is in it.
  chmodSync(folder, 0o755);
  project.provide("folderOfRun", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
