/** Builds the dashboard into `server/dist/dashboard`, unless what is there is newer than its source. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const BUILT = join(ROOT, "../server/dist/dashboard/index.html");
const SOURCES = ["src", "index.html", "vite.config.ts", "../package-lock.json"];

export async function buildDashboard(): Promise<void> {
  const latest = Math.max(...SOURCES.map((name) => latestChange(join(ROOT, name))));
  if (existsSync(BUILT) && statSync(BUILT).mtimeMs >= latest) return;
  await build({ root: ROOT, configFile: join(ROOT, "vite.config.ts"), logLevel: "error" });
}

/** Of a file, or of a folder and all that is beneath. */
function latestChange(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(path).map((name) => latestChange(join(path, name)));
  return Math.max(stats.mtimeMs, ...inside);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDashboard();
