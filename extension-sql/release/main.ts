/**
 * `make release`: refuses while anything that names the version disagrees, then writes the npm packages and the archive of
 * the extension to `.tmp/release/`. With `PUBLISH=1` it also tags the commit and publishes the packages.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { disagreements, releaseVersion } from "./agreement.ts";
import { extensionArchive } from "./archive.ts";
import { PACKAGES } from "./packages.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TARGET = join(ROOT, ".tmp/release");
const publishes = process.env["PUBLISH"] === "1";

const version = releaseVersion(ROOT);
const obstacles = [...disagreements(ROOT), ...(publishes ? gitObstacles() : [])];
if (obstacles.length > 0) {
  process.stderr.write(
    `${version} can't be released:\n${obstacles.map((each) => `- ${each}\n`).join("")}`,
  );
  process.exit(1);
}

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
run(
  "npm",
  "pack",
  ...PACKAGES.flatMap((name) => ["-w", name]),
  "--silent",
  "--pack-destination",
  TARGET,
);
writeFileSync(join(TARGET, `oxbow-${version}.zip`), extensionArchive(ROOT, version));
print(`Built ${version} in .tmp/release/: ${readdirSync(TARGET).join(", ")}`);

if (publishes) publish();
else
  print(
    "Nothing was published. PUBLISH=1 make release tags the commit and publishes the packages.",
  );

function publish(): void {
  run("git", "tag", "--annotate", `v${version}`, "--message", `Oxbow ${version}`);
  for (const name of readdirSync(TARGET)
    .filter((each) => each.endsWith(".tgz"))
    .toSorted()) {
    run("npm", "publish", "--access", "public", join(TARGET, name));
  }
  print(
    `Push the tag: git push origin v${version}. Upload oxbow-${version}.zip at https://manager.pgxn.org/upload.`,
  );
}

function gitObstacles(): string[] {
  const changes = execFileSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" });
  const tag = execFileSync("git", ["tag", "--list", `v${version}`], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return [
    ...(changes === "" ? [] : ["the working tree has changes: commit them"]),
    ...(tag === "" ? [] : [`the tag v${version} exists: this version is released`]),
  ];
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
