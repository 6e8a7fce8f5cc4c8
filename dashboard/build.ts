/** Builds the dashboard into `server/dist/dashboard`, unless what is there is newer than its source. */
/// <reference types="node" />
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const VITE = join(ROOT, "../node_modules/vite/bin/vite.js");
const BUILT = join(ROOT, "../server/dist/dashboard/index.html");
const SOURCES = [
  "src",
  "public",
  "index.html",
  "vite.config.ts",
  "build.ts",
  "../editor/src",
  "../declared/src",
  "../server/src/run-states.ts",
  "../package-lock.json",
];

/** @throws Error if the source can't be built. */
export function buildDashboard(): void {
  const latest = Math.max(...SOURCES.map((name) => latestChange(join(ROOT, name))));
  if (existsSync(BUILT) && statSync(BUILT).mtimeMs >= latest) return;
  const { status } = spawnSync(process.execPath, [VITE, "build", "--logLevel", "error"], {
    cwd: ROOT,
    stdio: "inherit",
    // In a run of tests it is another one, of which React would be built for development.
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (status !== 0) throw new Error("The dashboard can't be built: see the errors above.");
}

/** When a file was changed last, or anything in a folder, in milliseconds since 1970. */
export function latestChange(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(path).map((name) => latestChange(join(path, name)));
  return Math.max(stats.mtimeMs, ...inside);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildDashboard();
