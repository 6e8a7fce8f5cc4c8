/** Errors of a body that departs from its journal, worded for the author of the change. `body.ts` compares the two. */
import { NondeterminismError } from "../core/errors.ts";
import type { JournalEntry, StepKind } from "../protocol/journal.ts";

interface NamedStep {
  readonly name: string;
  readonly kind: StepKind;
}

/** How the body ended. */
export type Ending =
  | { readonly kind: "returned"; readonly output: unknown }
  | { readonly kind: "threw"; readonly error: unknown };

/** Whether a journaled step is what the body asks for. A detached invoke has a kind of its own in later releases. */
export const isSameKind = (journaled: StepKind, asked: StepKind): boolean =>
  journaled === asked || (journaled === "detach" && asked === "invoke");

/** The body asks for a step as one kind, and the journal has it as another. */
export const kindChanged = (
  runId: string,
  asked: NamedStep,
  entry: NamedStep,
): NondeterminismError =>
  new NondeterminismError(
    runId,
    `its journal has step "${entry.name}" as a ${VERBS[entry.kind]}, and the body asks for it as a ${VERBS[asked.kind]}`,
    { facts: { step: entry.name, journaled: entry.kind, asked: asked.kind } },
  );

/** The body is quiet and has not asked for the next step of the journal. */
export function stepMissed(
  runId: string,
  entry: NamedStep,
  asked: readonly NamedStep[],
): NondeterminismError {
  const instead =
    asked.length === 0 ? "awaits something that is not a step" : `asks for ${listSteps(asked)}`;
  return new NondeterminismError(
    runId,
    `its journal continues with step ${quote(entry)}, and the body ${instead}`,
    { facts: { step: entry.name, asked: asked.map(({ name }) => name) } },
  );
}

/** The body is quiet and awaits a step that the journal has as abandoned. */
export const abandonmentMissed = (runId: string, entry: JournalEntry): NondeterminismError =>
  new NondeterminismError(
    runId,
    `its journal has step ${quote(entry)} as abandoned, and the body does not abandon it`,
    { facts: { step: entry.name } },
  );

/** The body has ended without asking for a journaled step. */
export function stepNeverReached(
  runId: string,
  entry: NamedStep,
  ending: Ending,
): NondeterminismError {
  const threw = ending.kind === "threw";
  return new NondeterminismError(
    runId,
    `its journal has step ${quote(entry)}, and the body ${threw ? "threw" : "returned"} without asking for it`,
    { facts: { step: entry.name }, ...(threw ? { cause: ending.error } : {}) },
  );
}

/** The run has a wait or retry of a step that the body doesn't ask for. */
export const pendingForgotten = (
  runId: string,
  pending: NamedStep,
  asked: readonly NamedStep[],
): NondeterminismError =>
  new NondeterminismError(
    runId,
    `it is in step ${quote(pending)}, and the body ${asked.length === 0 ? "doesn't ask for it" : `asks for ${listSteps(asked)}`}`,
    { facts: { step: pending.name, asked: asked.map(({ name }) => name) } },
  );

/** The run has a wait or retry of a step that the body asks for as another kind. */
export const pendingKindChanged = (
  runId: string,
  pending: NamedStep,
  asked: NamedStep,
): NondeterminismError =>
  new NondeterminismError(
    runId,
    `it is in step ${quote(pending)}, and the body asks for it as a ${VERBS[asked.kind]}`,
    { facts: { step: pending.name, pending: pending.kind, asked: asked.kind } },
  );

/** A replay of an ended run leads to another end. */
export const otherEnd = (
  runId: string,
  was: string,
  difference: string,
  cause?: unknown,
): NondeterminismError =>
  new NondeterminismError(runId, `it ${was}, and the body ${difference}`, { cause });

/** Names and kinds of steps, for errors. */
export const listSteps = (steps: readonly NamedStep[]): string =>
  list(steps.map((step) => quote(step)));

/** Names of steps, for errors. */
export const listNames = (names: readonly string[]): string =>
  list(names.map((name) => `"${name}"`));

const VERBS: Record<StepKind, string> = {
  run: "step.run",
  sleep: "step.sleep",
  wait: "step.waitForEvent",
  rollback: "a rollback",
  invoke: "step.invoke",
  detach: "step.invoke",
  signal: "step.signal",
  publish: "step.publish",
  tx: "step.tx",
  decision: "a decision",
};

const quote = (step: NamedStep): string => `"${step.name}" (${VERBS[step.kind]})`;

const MAX_LISTED = 5;

function list(items: readonly string[]): string {
  const rest = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
