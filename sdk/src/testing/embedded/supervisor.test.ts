import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Supervisor } from "./supervisor.ts";

it("removes its directories also if the program can't be started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-not-started-"));
  const supervisor = new Supervisor([folder]);
  const started = supervisor.start({
    command: join(folder, "nothing"),
    args: [],
    cwd: tmpdir(),
    env: {},
    user: undefined,
    logFile: join(folder, "log"),
  });
  await expect(started).rejects.toThrow("ENOENT");
  await supervisor.release();
  expect(existsSync(folder)).toBe(false);
});
