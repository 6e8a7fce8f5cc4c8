import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventually, moreThan } from "./eventually.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

const COUNTER = new URL("programs/counter.ts", import.meta.url);

async function setup(): Promise<WorkerProcess> {
  const worker = startWorkerProcess(COUNTER);
  await worker.line(/^count 1$/);
  return worker;
}

describe("a worker process", () => {
  it("ends in order when it is stopped", async () => {
    const worker = await setup();
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(worker.output.at(-1)).toBe("ended in order");
  });

  it("ends without a word when it is killed", async () => {
    const worker = await setup();
    expect(await worker.kill()).toEqual({ code: null, signal: "SIGKILL" });
    expect(worker.output).not.toContain("ended in order");
    expect(await worker.kill()).toEqual({ code: null, signal: "SIGKILL" });
  });

  it.runIf(process.platform === "linux")("stands still while it is frozen", async () => {
    const worker = await setup();
    worker.freeze();
    const state = (): string =>
      /^State:\s+(\w)/m.exec(readFileSync(`/proc/${worker.pid}/status`, "utf8"))?.[1] ?? "";
    await eventually(state, "T");
    worker.thaw();
    const soFar = worker.output.length;
    await eventually(() => worker.output.length, moreThan(soFar));
  });

  it("reports its output if it ends without the awaited line", async () => {
    const worker = await setup();
    const waiting = worker.line(/^never$/);
    await Promise.all([
      expect(waiting).rejects.toThrow(/ended without a line \/\^never\$\/:\ncount 1\n/),
      worker.stop(),
    ]);
  });
});
