/** The tests that docs/guides/testing.md shows pass, with the set-up that it shows. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { MIRROR } from "../helpers/compiled.ts";
import { blocksOf, readPage, ROOT } from "./pages.ts";

// Within the repository, so that packages are found.
mkdirSync(join(ROOT, ".tmp"), { recursive: true });
const directory = mkdtempSync(join(ROOT, ".tmp", "guide-"));
afterAll(() => rmSync(directory, { recursive: true }));

const guide = readPage("docs/guides/testing.md");

/** The application's own code, which no test may call. */
const APPLICATION = `
  declare const createUser: (email: string) => { id: number };
  declare const sendWelcome: (user: unknown) => boolean;
  declare const nudge: (user: unknown) => boolean;
`;

const CONFIG = `
  const server = { deps: { external: [/[.]tmp[/]bundled/] } };
  export default { test: { server, include: ["guide.test.ts"], globalSetup: ["setup.ts"], testTimeout: 60_000, hookTimeout: 60_000 } };
`;

it("the guide to testing compiles, and its tests pass", () => {
  write("guide.test.ts", APPLICATION + blocksOf(guide, "ts").join("\n"));
  write("setup.ts", blocksOf(guide, "ts setup").join("\n"));
  write("vitest.config.mjs", CONFIG);
  write(
    "tsconfig.json",
    JSON.stringify({
      extends: "../../tsconfig.base.json",
      compilerOptions: { noEmit: true },
      include: ["*.ts"],
    }),
  );
  expect(node("typescript/bin/tsc", "-p", directory)).toMatchObject({ status: 0, stdout: "" });
  // Has no types, and is loaded much faster.
  mkdirSync(join(directory, "node_modules"));
  symlinkSync(MIRROR, join(directory, "node_modules/@oxbow"));
  const { status, stdout } = node("vitest/vitest.mjs", "run", "--root", directory);
  expect(stdout).toMatch(/Tests\s+5 passed \(5\)/);
  expect(status).toBe(0);
});

function write(name: string, text: string): void {
  writeFileSync(join(directory, name), text);
}

function node(program: string, ...args: string[]): { status: number | null; stdout: string } {
  return spawnSync(process.execPath, [join(ROOT, "node_modules", program), ...args], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], NO_COLOR: "1" },
  });
}
