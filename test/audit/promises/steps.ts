/** Promises about steps: the journal, the ledger, rollbacks, and the order of calls. */
import { isDeepStrictEqual } from "node:util";
import { expectationOf } from "../workload/expectations.ts";
import type { RunInput } from "../record.ts";
import { groupBy, type History } from "./history.ts";

/** Time between the check of a lease and the entry of the call, on a busy machine. */
const CALL_SLACK_MS = 400;

/** The callback of a durable step is never called again. */
export function* journaledStepsStay(history: History): Generator<string> {
  const durableAt = new Map<string, number>();
  for (const { run, at, after } of history.calls) {
    for (const step of after) {
      const place = `${run} ${step}`;
      if (!durableAt.has(place)) durableAt.set(place, at);
    }
  }
  const journaledAt = new Map(
    history.facts.steps.map(({ run, step, completedAt }) => [`${run} ${step}`, completedAt]),
  );
  for (const { run, step, at, wall } of history.calls) {
    const place = `${run} ${step}`;
    const durable = durableAt.get(place);
    const isAfter = durable !== undefined && at > durable && !history.mayBeLost(durable);
    // Rollbacks are journaled under another name.
    const journaled = history.facts.steps.length > 0 ? journaledAt.get(place) : undefined;
    const lateByMs = journaled === undefined ? 0 : wall - journaled;
    if (isAfter || lateByMs > CALL_SLACK_MS) {
      yield `step ${step} of run ${run} was called ${Math.round(lateByMs)} ms after it was journaled`;
    }
  }
}

/** The journal of a completed run has each of its steps, in places 1 to n. */
export function* stepsAreKept(history: History): Generator<string> {
  for (const { run, workflow, status, input } of history.facts.runs) {
    const expected = expectationOf(workflow, input as RunInput);
    if (expected === undefined || status !== "completed") continue;
    const journal = history.journals.get(run) ?? [];
    const steps = journal.map(({ step }) => step).toSorted();
    if (!isDeepStrictEqual(steps, expected.steps.toSorted())) {
      yield `journal of run ${run} of ${workflow} has ${steps.join(", ")} instead of ${expected.steps.join(", ")}`;
    }
    const positions = journal.map(({ position }) => position);
    if (positions.some((position, index) => position !== index + 1)) {
      yield `journal of run ${run} has places ${positions.join(", ")}`;
    }
  }
}

/** A step whose transaction wrote to the ledger has written exactly once, and only if it is journaled. */
export function* ledgerIsExact(history: History): Generator<string> {
  const rows = new Map(history.facts.ledger.map(({ run, step, rows: n }) => [`${run} ${step}`, n]));
  for (const { run, workflow, input } of history.facts.runs) {
    const booked = expectationOf(workflow, input as RunInput)?.booked ?? [];
    const journal = history.journals.get(run) ?? [];
    for (const step of booked) {
      const isJournaled = journal.some((row) => row.step === step && row.error === null);
      const count = rows.get(`${run} ${step}`) ?? 0;
      if (count !== (isJournaled ? 1 : 0)) {
        yield `step ${step} of run ${run} is ${isJournaled ? "" : "not "}journaled, with ${count} rows in the ledger`;
      }
    }
  }
}

/** A run that failed rolls back all that its steps did, the last first. */
export function* rollbacksAreInOrder(history: History): Generator<string> {
  const calls = groupBy(history.calls, ({ run }) => run);
  for (const { run, workflow, status } of history.facts.runs) {
    if (workflow !== "undo" || status === "running") continue;
    const firsts = new Map<string, number>();
    for (const { step, at } of calls.get(run) ?? []) {
      if (step.startsWith("undo-") && !firsts.has(step)) firsts.set(step, at);
    }
    const order = [...firsts].toSorted(([, a], [, b]) => a - b).map(([step]) => step);
    const mayLack = history.request.lost !== undefined;
    if (!isDeepStrictEqual(order, ["undo-s2", "undo-s1", "undo-s0"]) && !mayLack) {
      yield `run ${run} rolled back ${order.join(", ") || "nothing"}`;
    }
  }
}

/** Without a fault of a worker or its network, each attempt calls its callback once. */
export function* callsAreNotRepeated(history: History): Generator<string> {
  const { once } = history.request;
  if (once === undefined) return;
  for (const calls of groupBy(history.calls, ({ run, step }) => `${run} ${step}`).values()) {
    const [one] = calls;
    const attempts = 1 + calls.filter(({ threw }) => threw).length;
    if (one === undefined || one.run === once.except || calls.length <= attempts) continue;
    yield `step ${one.step} of run ${one.run} was called ${calls.length} times`;
  }
}

const TELLING_MS = 2_500;

/** The signal of a callback aborts when another worker takes its run, or as soon as its own is no longer stopped. */
export function* lostCallbacksAbort(history: History): Generator<string> {
  const { stoppedUntil = -Infinity } = history.request;
  for (const calls of groupBy(history.calls, ({ run, step }) => `${run} ${step}`).values()) {
    for (const earlier of calls) {
      const later = calls.find((call) => call.at > earlier.at && call.pid !== earlier.pid);
      if (later === undefined || earlier.endedAt === undefined) continue;
      const told = earlier.abortedAt ?? Infinity;
      const latest = Math.max(later.at, stoppedUntil) + TELLING_MS;
      if (earlier.endedAt > latest && told > latest) {
        yield `step ${earlier.step} of run ${earlier.run} was called by another worker, and the signal of the first call did not abort for ${Math.round(Math.min(told, earlier.endedAt) - later.at)} ms`;
      }
    }
  }
}

/** A reader of a stream ends with the journaled answer. */
export function* streamsAreWhole(history: History): Generator<string> {
  for (const entry of history.entries) {
    if (entry.kind !== "streamed") continue;
    const journaled = history.journals.get(entry.run)?.find(({ step }) => step === "answer");
    if (journaled !== undefined && !isDeepStrictEqual(journaled.output, entry.chunks)) {
      yield `stream of run ${entry.run} is ${JSON.stringify(entry.chunks)}, its journal ${JSON.stringify(journaled.output)}`;
    }
  }
}

/** Sleeps, timeouts and back-offs last at least as long as requested, counted from the request. */
export function* sleepsAreNeverEarly(history: History): Generator<string> {
  const asked = new Map<string, { at: number; ms: number }>();
  for (const { run, step, at, ms } of history.slept) {
    const place = `${run} ${step}`;
    if (!asked.has(place)) asked.set(place, { at, ms });
  }
  for (const { run, step, at } of history.woke) {
    const sleep = asked.get(`${run} ${step}`);
    if (sleep === undefined) continue;
    const earlyByMs = sleep.at + sleep.ms - at;
    if (earlyByMs > 0) yield `${step} of run ${run} ended ${earlyByMs.toFixed(1)} ms early`;
  }
  const BACKOFF_MS = 200;
  for (const calls of groupBy(
    history.calls,
    ({ run, step, pid }) => `${run} ${step} ${pid}`,
  ).values()) {
    for (const [index, call] of calls.entries()) {
      const next = calls[index + 1];
      if (!call.threw || call.endedAt === undefined || call.abortedAt !== undefined) continue;
      if (next === undefined || call.step.startsWith("book")) continue;
      // `endedAt` precedes the failure itself, so the difference is never overestimated.
      const earlyByMs = call.endedAt + BACKOFF_MS - next.at;
      if (earlyByMs > 0)
        yield `retry of ${call.step} of run ${call.run} began ${earlyByMs.toFixed(1)} ms early`;
    }
  }
}
