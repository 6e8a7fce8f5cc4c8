/** The packages as they are published, packed once for all files of a run. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { PACKAGES } from "../../extension-sql/release/packages.ts";
import { eventually } from "./eventually.ts";
import { runProgram } from "./run-program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The path of each package's archive, by the package's folder. */
export type PackedPackages = Readonly<Record<(typeof PACKAGES)[number], string>>;

/** Packs the packages, or waits until another file has. */
export async function packPackages(): Promise<PackedPackages> {
  const folder = join(inject("folderOfRun"), "packages");
  await eventually(() => pack(folder), true, { withinMs: 180_000 });
  const archives = readdirSync(folder);
  const paths = PACKAGES.map((name) => {
    const archive = archives.find((file) => file.startsWith(`oxbow-${name}-`)) ?? "";
    return [name, join(folder, archive)] as const;
  });
  return Object.fromEntries(paths) as PackedPackages;
}

/** Returns whether the folder is there; false: another file is making it. */
async function pack(folder: string): Promise<boolean> {
  if (existsSync(folder)) return true;
  const draft = `${folder}.draft`;
  try {
    mkdirSync(draft);
  } catch {
    return false;
  }
  try {
    const workspaces = PACKAGES.flatMap((name) => ["-w", name]);
    await runProgram("npm", ["pack", ...workspaces, "--pack-destination", draft], { cwd: ROOT });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
}
