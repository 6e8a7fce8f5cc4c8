import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PushRequest } from "../protocol/push.ts";
import { workflow } from "../worker/serve.ts";
import { ServedWorkflows } from "../worker/served-workflows.ts";
import type { PushedTransport } from "./lease-transport.ts";
import { PushedRuns } from "./pushed-runs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a run leaves soon after its request, though its last commit is not answered", async () => {
  const hanging = workflow({
    name: "hanging",
    run: ({ step }) => step.run("hang", () => new Promise<void>(() => {})),
  });
  const calls: string[] = [];
  const call = (name: string) => () => {
    calls.push(name);
    return Promise.reject(new Error("The server is away."));
  };
  const transport = {
    worker: {
      commit: call("commit"),
      heartbeat: call("heartbeat"),
      reportProgress: call("progress"),
    },
  } as unknown as PushedTransport;
  const served = new ServedWorkflows([hanging]);
  const runs = new PushedRuns({ served, transport, logger: false, codec: undefined });
  const push = {
    ageMs: 0,
    leaseMs: 30_000,
    sentAt: Date.now(),
    delivery: {
      runId: "1",
      receipt: "2",
      name: "hanging",
      version: 1,
      attempt: 1,
      journal: [],
      continuation: { waits: [], retries: [] },
      receivedAt: Date.now(),
    },
  } as unknown as PushRequest;
  const outcome = runs.execute(hanging, push, performance.now(), 4_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcome).toBe("released");
  expect(calls).toContain("commit");
  calls.length = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual([]);
});
