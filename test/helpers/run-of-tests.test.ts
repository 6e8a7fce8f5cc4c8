/** A run's report to its caller, shown by runs that are meant to fail. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONFIG = "test/helpers/fixtures/vitest.config.ts";

async function run(...fixtures: string[]): Promise<{ code: number | null; lastLine: string }> {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--root", ROOT, "--config", CONFIG];
  const files = fixtures.map((fixture) => `/${fixture}.fixture`);
  const child = spawn(process.execPath, [...vitest, ...files], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { code: child.exitCode, lastLine: output.trimEnd().split("\n").at(-1) ?? "" };
}

describe("a run of tests", () => {
  it("ends well when all tests pass", async () => {
    expect(await run("passes")).toEqual({ code: 0, lastLine: "1 passed, 0 failed" });
  });

  it("fails by a test, by each kind of leak, and by an error outside of any awaited promise", async () => {
    const fixtures = ["fails", "leaks-a-server", "leaks-a-process", "throws-later"];
    expect(await run(...fixtures)).toEqual({ code: 1, lastLine: "4 passed, 4 failed" });
  });

  it.each(["is-left-out", "there-is-none"])("fails when nothing is tested: %s", async (fixture) => {
    expect(await run(fixture)).toEqual({ code: 1, lastLine: "0 passed, 1 failed" });
  });
});
