/** What the README shows compiles and runs; its commands, and the quickstart: follow.test.ts. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";
import { blocksOf, readPage, ROOT } from "./pages.ts";

// Within the repository, so that packages are found.
mkdirSync(join(ROOT, ".tmp"), { recursive: true });
const directory = mkdtempSync(join(ROOT, ".tmp", "docs-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("the README", () => {
  it("has less than 120 lines", () => {
    expect(readPage("README.md").text.split("\n").length).toBeLessThan(120);
  });

  it("shows a workflow that compiles, and does what it says", async () => {
    const program = write(
      "readme.ts",
      `const calls: string[] = [];
      const createUser = async (email: string) => ({ id: 42, email });
      const sendWelcome = async (user: { email: string }) => calls.push(user.email);
      const nudge = async (user: { email: string }) => calls.push("nudge " + user.email);
      ${onlyBlock("README.md")}
      console.log(JSON.stringify([await run.result({ timeout: "20s" }), calls]));
      await worker.stop();
      await client.close();`,
    );
    compile();
    expect(await output(program)).toEqual([
      JSON.stringify([{ userId: 42, verified: true }, ["ada@example.com"]]),
    ]);
  });
});

function onlyBlock(page: string): string {
  const [block, ...others] = blocksOf(readPage(page), "ts");
  expect(others).toEqual([]);
  return block ?? "";
}

/** With sleeps that a test can wait for. */
function write(name: string, code: string): URL {
  const path = join(directory, name);
  writeFileSync(path, code.replaceAll(/"(5m|10s)"\);$/gm, '"10ms");'));
  return pathToFileURL(path);
}

function compile(): void {
  const config = join(directory, "tsconfig.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: "../../tsconfig.base.json",
      compilerOptions: { noEmit: true },
      include: ["*.ts"],
    }),
  );
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  // It prints what is wrong to its standard output.
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
}

async function output(program: URL): Promise<readonly string[]> {
  const { url } = await createDatabase();
  const running = startWorkerProcess(program, { env: { QUEUE_URL: url } });
  await running.end();
  return running.output;
}
