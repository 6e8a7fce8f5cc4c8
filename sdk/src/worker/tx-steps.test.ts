import { beforeEach, expect, it } from "vitest";
import { nextTurn } from "../async/next-turn.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { StepCall } from "../replay/effects.ts";
import type { StartedCall } from "./step-calls.ts";
import { TxSteps, type TxStepsOptions } from "./tx-steps.ts";

let events: string[];
let changed: () => void;
let steps: TxSteps;
let abort: AbortController;

beforeEach(() => {
  events = [];
  changed = () => {};
  abort = new AbortController();
  const note = (event: string) => () => void events.push(event);
  steps = new TxSteps({
    runId: "1",
    receipt: "1",
    engine: {
      txBegins: () => {},
      txChunks: () => [],
      txReady: note("ready"),
      txPutOff: note("put off"),
      txCommitted: note("committed"),
    },
    commits: { known: {}, txCommitted: () => {} },
    transport: {
      worker: { commitTx: () => Promise.resolve("ok") },
      transaction: (work: (tx: unknown) => Promise<void>, signal: AbortSignal) =>
        unlessAborted(work({}), signal),
    },
    leaseMs: 30_000,
    dropped: new AbortController().signal,
    isAlive: () => true,
    within: (work: () => unknown) => work(),
    mayCall: () => false,
    onChange: () => changed(),
    onTrouble: () => {},
    onGiveUp: () => {},
    onLost: () => {},
  } as unknown as TxStepsOptions);
});

const call = (callback: () => unknown) =>
  steps.call(
    { name: "a", attempt: 1 } as StepCall,
    { run: callback, signal: abort.signal, isAbandoned: false } as unknown as StartedCall,
  );

const untilChange = () =>
  new Promise<void>((resolve) => {
    changed = resolve;
  });

it("commits a transaction when its turn comes", async () => {
  const waits = untilChange();
  const end = call(() => 1);
  await waits;
  steps.mayCommit("a");
  expect(await end).toEqual({ kind: "committed" });
  expect(events).toEqual(["ready", "committed"]);
});

it("gives up the turn of a transaction that was aborted while it waited", async () => {
  const waits = untilChange();
  const end = call(() => 1);
  await waits;
  const error = new Error("The run was cancelled.");
  abort.abort(error);
  expect(await end).toEqual({ kind: "threw", error });
  const wakes = untilChange();
  steps.mayCommit("a");
  await wakes;
  expect(steps.isCommitting).toBe(false);
  expect(events).toEqual(["ready", "put off"]);
});

it("takes no turn for a callback that returns after its transaction was aborted", async () => {
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const end = call(() => finished);
  abort.abort(new Error("The lease is over."));
  await end;
  finish();
  await nextTurn();
  expect(events).toEqual([]);
});
