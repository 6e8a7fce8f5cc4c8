import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KeptWorker } from "./kept-worker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Workers that end by an error when they are told to. */
function makeWorkers() {
  const workers: { readonly fail: (error: Error) => void; isStopped: boolean }[] = [];
  const start = () => {
    let end: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
    const finished = new Promise<void>((resolve, reject) => {
      end = { resolve, reject };
    });
    const worker = { fail: (error: Error) => end?.reject(error), isStopped: false };
    workers.push(worker);
    return {
      finished,
      stop: async () => {
        worker.isStopped = true;
        end?.resolve();
        await finished.catch(() => {});
      },
    };
  };
  return { workers, start };
}

it("starts another worker after a pause, and reports why (K1)", async () => {
  const { workers, start } = makeWorkers();
  const reasons: unknown[] = [];
  const kept = new KeptWorker(start, (error) => void reasons.push(error));
  const reason = new Error("No Oxbow.");
  for (const expected of [2, 3]) {
    workers.at(-1)?.fail(reason);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(workers).toHaveLength(expected - 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(workers).toHaveLength(expected);
  }
  expect(reasons).toEqual([reason, reason]);
  await kept.stop();
  expect(workers.at(-1)?.isStopped).toBe(true);
});

it("tries again if a worker can't be started any more (K1)", async () => {
  const { workers, start } = makeWorkers();
  const gone = new Error("The certificate is gone.");
  const starts = vi.fn<typeof start>(start);
  const reasons: unknown[] = [];
  const kept = new KeptWorker(starts, (error) => void reasons.push(error));
  starts.mockImplementationOnce(() => {
    throw gone;
  });
  workers[0]?.fail(new Error("No Oxbow."));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(workers).toHaveLength(2);
  expect(reasons.at(-1)).toBe(gone);
  await kept.stop();
});

it("starts no worker once it is stopped, also in the pause after a failure (K2)", async () => {
  const { workers, start } = makeWorkers();
  const kept = new KeptWorker(start, () => {});
  workers[0]?.fail(new Error("No Oxbow."));
  await vi.advanceTimersByTimeAsync(1_000);
  await kept.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(workers).toHaveLength(1);
});
