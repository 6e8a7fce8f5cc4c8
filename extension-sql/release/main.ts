/**
 * `make release`: refuses while anything that names the version disagrees, then writes the npm packages, the archive of
 * the extension and the notes of the release to `.tmp/release/`. The workflow that a tag starts publishes them.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { disagreements, publishingObstacles, releaseVersion } from "./agreement.ts";
import { extensionArchive } from "./archive.ts";
import { sectionOf, withLinksFrom } from "./notes.ts";
import { PACKAGES } from "./packages.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TARGET = join(ROOT, ".tmp/release");

const version = releaseVersion(ROOT);
const obstacles = [...disagreements(ROOT), ...publishingObstacles(ROOT, process.env)];
if (obstacles.length > 0) {
  process.stderr.write(
    `${version} can't be released:\n${obstacles.map((each) => `- ${each}\n`).join("")}`,
  );
  process.exit(1);
}

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
const workspaces = PACKAGES.flatMap((name) => ["-w", name]);
execFileSync("npm", ["pack", ...workspaces, "--silent", "--pack-destination", TARGET], {
  cwd: ROOT,
  stdio: ["ignore", "inherit", "inherit"],
});
writeFileSync(join(TARGET, `oxbow-${version}.zip`), extensionArchive(ROOT, version));
writeFileSync(join(TARGET, "notes.md"), notes());
process.stdout.write(`Built ${version} in .tmp/release/: ${readdirSync(TARGET).join(", ")}\n`);

function notes(): string {
  const section = sectionOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version) ?? "";
  const repository = process.env["GITHUB_REPOSITORY"];
  if (repository === undefined) return section;
  return withLinksFrom(section, `https://github.com/${repository}/blob/v${version}`);
}
