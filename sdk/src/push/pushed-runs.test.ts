import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PushRequest } from "../protocol/push.ts";
import { workflow } from "../worker/serve.ts";
import { ServedWorkflows } from "../worker/served-workflows.ts";
import type { PushedTransport } from "./lease-transport.ts";
import { PushedRuns } from "./pushed-runs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Executes a run whose step hangs, by a server that answers each call so. */
function execute(answer: () => Promise<never>, budgetMs: number, journalFollows?: true) {
  const hanging = workflow({
    name: "hanging",
    run: ({ step }) => step.run("hang", () => new Promise<void>(() => {})),
  });
  const calls: string[] = [];
  const call = (name: string) => () => {
    calls.push(name);
    return answer();
  };
  const transport = {
    worker: {
      commit: call("commit"),
      getJournalPage: call("journal"),
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
      journalFollows,
      continuation: { waits: [], retries: [] },
      receivedAt: Date.now(),
    },
  } as unknown as PushRequest;
  return { calls, runs, outcome: runs.execute(hanging, push, performance.now(), budgetMs) };
}

const isAway = (): Promise<never> => Promise.reject(new Error("The server is away."));
const isSilent = (): Promise<never> => new Promise(() => {});

it("a run leaves soon after its request, though its last commit is not answered", async () => {
  const { calls, outcome } = execute(isAway, 4_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcome).toBe("released");
  expect(calls).toContain("commit");
  calls.length = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual([]);
});

it("a function is over soon after its time, though no heartbeat is answered", async () => {
  const { calls, runs, outcome } = execute(isSilent, 20_000);
  await vi.advanceTimersByTimeAsync(24_000);
  expect(await outcome).toBe("released");
  expect(calls).toContain("heartbeat");
  const closed = runs.close();
  await vi.advanceTimersByTimeAsync(2_000);
  await closed;
});

it("a journal that can't be read in the time of the request is left to the next one", async () => {
  const { calls, outcome } = execute(isSilent, 4_000, true);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await outcome).toBe("lost");
  expect(calls).toEqual(["journal"]);
});
