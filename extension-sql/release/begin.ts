/** `make begin VERSION=X.Y.Z`: sets the version everywhere, for the work after a release. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { IMAGE_FILES } from "./agreement.ts";
import { PACKAGES } from "./packages.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) {
  throw new Error(`"${version}" is not a version: run make begin VERSION=1.2.3`);
}

edit("extension-sql/oxbow.control", /^default_version = '.*'$/m, `default_version = '${version}'`);
for (const name of PACKAGES) {
  edit(`${name}/package.json`, /^ {2}"version": ".*"/m, `  "version": "${version}"`);
  edit(`${name}/package.json`, /("@oxbow\/\w+"): "\d[^"]*"/g, `$1: "${version}"`);
}
edit("examples/nextjs/package.json", /("@oxbow\/\w+"): "\^[^"]*"/g, `$1: "^${version}"`);
for (const path of IMAGE_FILES)
  edit(path, /oxbow-server:\d+\.\d+\.\d+/g, `oxbow-server:${version}`);
edit("README.md", /Version \d+\.\d+\.\d+:/, `Version ${version}:`);
execFileSync("npm", ["install", "--package-lock-only"], { cwd: ROOT, stdio: "inherit" });

function edit(path: string, pattern: RegExp, replacement: string): void {
  const file = join(ROOT, path);
  writeFileSync(file, readFileSync(file, "utf8").replace(pattern, replacement));
}
