/** All promises, checked against a trial. */
import type { Entry } from "../record.ts";
import type { AuditRequest, Facts } from "./facts.ts";
import { History, type Violation } from "./history.ts";
import { idsNameOneThing } from "./ids.ts";
import {
  groupsKeepOrder,
  invariantsHold,
  messagesArrive,
  notesFanOut,
  ticksAreExact,
} from "./messages.ts";
import { callsComeThrough, cancelsHold, childrenEnd, resultsAreKept, runsEndOnce } from "./runs.ts";
import {
  lostCallbacksAbort,
  callsAreNotRepeated,
  journaledStepsStay,
  ledgerIsExact,
  rollbacksAreInOrder,
  sleepsAreNeverEarly,
  stepsAreKept,
  streamsAreWhole,
} from "./steps.ts";

export const PROMISES: Readonly<Record<string, (history: History) => Iterable<string>>> = {
  "runs end once": runsEndOnce,
  "ids name one thing": idsNameOneThing,
  "children end": childrenEnd,
  "results are kept": resultsAreKept,
  "calls come through": callsComeThrough,
  "cancels hold": cancelsHold,
  "journaled steps stay": journaledStepsStay,
  "steps are kept": stepsAreKept,
  "the ledger is exact": ledgerIsExact,
  "rollbacks are in order": rollbacksAreInOrder,
  "calls are not repeated": callsAreNotRepeated,
  "lost callbacks abort": lostCallbacksAbort,
  "streams are whole": streamsAreWhole,
  "sleeps are never early": sleepsAreNeverEarly,
  "messages arrive": messagesArrive,
  "groups keep order": groupsKeepOrder,
  "notes fan out": notesFanOut,
  "ticks are exact": ticksAreExact,
  "invariants hold": invariantsHold,
};

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly acknowledged: number;
  readonly effects: number;
}

export function audit(entries: readonly Entry[], facts: Facts, request: AuditRequest): Verdict {
  const history = new History(entries, facts, request);
  const violations = Object.entries(PROMISES)
    .filter(([promise]) => request.except?.includes(promise) !== true)
    .flatMap(([promise, check]) => [...check(history)].map((detail) => ({ promise, detail })));
  return {
    violations,
    acknowledged: history.acknowledged.length,
    effects: history.calls.length + history.handled.length,
  };
}
