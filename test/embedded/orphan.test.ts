import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

async function setup(): Promise<{ owner: WorkerProcess; leftovers: () => string[] }> {
  const owner = startWorkerProcess(new URL("programs/owner.ts", import.meta.url));
  const line = await owner.line(/^cluster /);
  const [, pid = "", dataDir = ""] = line.split(" ");
  return {
    owner,
    leftovers: () => [`/proc/${pid}/cwd`, dataDir].filter((path) => existsSync(path)),
  };
}

describe.runIf(process.platform === "linux")("a cluster whose owner is gone", () => {
  it("ends when its owner is killed", async () => {
    const { owner, leftovers } = await setup();
    expect(leftovers()).toHaveLength(2);
    await owner.kill();
    await eventually(leftovers, []);
  });

  it("ends when its owner is asked to end", async () => {
    const { owner, leftovers } = await setup();
    await owner.stop();
    await eventually(leftovers, []);
  });
});
