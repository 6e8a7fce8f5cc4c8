/**
 * Before all tests: makes a folder for the temporary files of the run, and for what its files share (`packages.ts`). After
 * them: removes it.
 *
 * The folder is in memory if there is enough, unless TMPDIR names another place. A database is some 600 files, and to
 * create a file on disk may cost as much as a statement: a copy of the template then takes fifteen times the CPU.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    folderOfRun: string;
  }
}

const IN_MEMORY = "/dev/shm";
/** Several times the most that a whole run has ever held. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(chooseRoot(), "oxbow-tests-"));
  // Other accounts read what is in it.
  chmodSync(folder, 0o755);
  // For this process, which starts the cluster, and for the processes that run the tests.
  process.env["TMPDIR"] = folder;
  project.provide("folderOfRun", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

function chooseRoot(): string {
  const isChosen = (process.env["TMPDIR"] ?? "") !== "";
  return !isChosen && hasMemory() ? IN_MEMORY : tmpdir();
}

function hasMemory(): boolean {
  if (process.platform !== "linux") return false;
  // <device> <path> <type> <options> 0 0
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .find(([, path]) => path === IN_MEMORY);
  const [, , type, options = ""] = mount ?? [];
  // Tests install programs there, and run them.
  if (type !== "tmpfs" || options.split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= ENOUGH_BYTES && process.availableMemory() >= ENOUGH_BYTES;
}
