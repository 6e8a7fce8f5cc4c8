import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { executeShellCommand } from "./shell-command.ts";

const folder = mkdtempSync(join(tmpdir(), "oxbow-shell-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const execute = (command: string, withinMs = 60_000): Promise<string | undefined> =>
  executeShellCommand(command, { env: { FOLDER: folder }, withinMs });

/** One that nothing waits for any more, as it may be in a container, has ended. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z]/.test(stdout);
}

const pidIn = (file: string): number => Number(readFileSync(join(folder, file), "utf8"));

it("reports how a command has failed", async () => {
  expect(await execute("exit 0")).toBeUndefined();
  expect(await execute("exit 3")).toBe("ended with 3");
  expect(await execute("kill -9 $$")).toBe("was killed by SIGKILL");
});

it("waits for all that the command has started, wherever its output goes", async () => {
  expect(await execute("(sleep 0.5; echo done > $FOLDER/last) >/dev/null 2>&1 & exit 0")).toBe(
    undefined,
  );
  expect(readFileSync(join(folder, "last"), "utf8")).toBe("done\n");
});

it("kills what is late, and fails, though the shell has ended with 0", async () => {
  const problem = await execute("sleep 600 & echo $! > $FOLDER/late; exit 0", 3_000);
  expect(problem).toBe(
    "has not ended within 3 seconds, with all that it has started, and was killed",
  );
  await expect.poll(() => isRunning(pidIn("late")), { timeout: 60_000 }).toBe(false);
});

it("fails when what has left the group of the command is late", async () => {
  const problem = await execute("setsid sleep 600 & echo $! > $FOLDER/left; exit 0", 3_000);
  expect(problem).toContain("has not ended within 3 seconds");
  process.kill(pidIn("left"), "SIGKILL");
});
