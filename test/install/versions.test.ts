import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

function packageVersion(path: string): unknown {
  return (JSON.parse(read(path)) as { version?: unknown }).version;
}

it("extension, SDK and server have the same version", () => {
  const [, version] = /^default_version = '(.+)'$/m.exec(read("extension-sql/oxbow.control")) ?? [];
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(packageVersion("sdk/package.json")).toBe(version);
  expect(packageVersion("server/package.json")).toBe(version);
});
