/** Group commits as the arguments and rows of `workflow_commit`. */
import type {
  BusyCommit,
  CommitResult,
  ResolvedWait,
  RunCommit,
  StepEffect,
} from "../../../protocol/commit.ts";
import { unlessNone } from "../connection/arguments.ts";
import { continuationText, iso } from "./continuation.ts";

export interface CommitResultRow {
  readonly run_id: string;
  readonly receipt: string;
  readonly outcome: CommitResult["outcome"] | BusyCommit["outcome"];
  readonly resolved: readonly ResolvedWait[] | null;
}

/** The arguments of `workflow_commit`: one array a parameter. */
export function commitArguments(items: readonly RunCommit[]): unknown[] {
  const steps = items.flatMap((item, index) =>
    item.steps.map((step, offset) => ({
      step,
      item: index + 1,
      position: item.journaled + offset + 1,
    })),
  );
  const state = items.flatMap((item, index) =>
    (item.state ?? []).map(({ key, value }) => ({ item: index + 1, key, value: value ?? null })),
  );
  const stream = items.flatMap((item, index) =>
    (item.stream ?? []).map((chunk) => ({ ...chunk, item: index + 1 })),
  );
  const effects = items.flatMap((item, index) =>
    (item.effects ?? []).map((effect) => ({ item: index + 1, effect })),
  );
  return [
    items.map((item) => item.workflow),
    items.map((item) => item.runId),
    items.map((item) => item.receipt),
    items.map((item) => item.transition.kind),
    unlessNone(items.map(resultText)),
    unlessNone(
      items.map(({ transition }) =>
        (transition.kind === "suspend" || transition.kind === "retry") &&
        transition.resumeAt !== undefined
          ? iso(transition.resumeAt)
          : null,
      ),
    ),
    ...(steps.length === 0
      ? Array.from({ length: 8 }, () => null)
      : [
          steps.map(({ item }) => item),
          steps.map(({ position }) => position),
          steps.map(({ step }) => step.name),
          steps.map(({ step }) => step.kind),
          steps.map(({ step }) => step.output ?? null),
          unlessNone(
            steps.map(({ step }) => (step.error === undefined ? null : JSON.stringify(step.error))),
          ),
          steps.map(({ step }) => step.attempts),
          steps.map(({ step }) => step.durationMs),
        ]),
    ...(state.length === 0
      ? [null, null, null]
      : [
          state.map(({ item }) => item),
          state.map(({ key }) => key),
          state.map(({ value }) => value),
        ]),
    ...(stream.length === 0
      ? [null, null, null, null, null]
      : [
          stream.map(({ item }) => item),
          stream.map(({ step }) => step),
          stream.map(({ attempt }) => attempt),
          stream.map(({ number }) => number),
          stream.map(({ value }) => value ?? null),
        ]),
    ...(effects.length === 0
      ? Array.from({ length: 9 }, () => null)
      : [
          effects.map(({ item }) => item),
          effects.map(({ effect }) => effect.kind),
          effects.map(({ effect }) => effect.step),
          effects.map(({ effect }) => targetOf(effect)),
          effects.map(({ effect }) => ("event" in effect ? effect.event : null)),
          effects.map(({ effect }) => valueOf(effect) ?? null),
          effects.map(({ effect }) => ("version" in effect ? effect.version : null)),
          effects.map(({ effect }) =>
            "retentionDays" in effect ? (effect.retentionDays ?? null) : null,
          ),
          unlessNone(
            effects.map(({ effect }) => ("trace" in effect ? JSON.stringify(effect.trace) : null)),
          ),
        ]),
    items.map(({ known }) => (known === undefined ? null : JSON.stringify(known))),
    items.length > 1,
  ];
}

function targetOf(effect: StepEffect): string {
  if (effect.kind === "signal") return effect.runId;
  return "topic" in effect ? effect.topic : effect.workflow;
}

function valueOf(effect: StepEffect): string | undefined {
  if (effect.kind === "signal") return effect.payload;
  if (effect.kind === "subscribe") return effect.match;
  return effect.kind === "publish" ? effect.message : effect.input;
}

function resultText({
  transition,
  journaled,
  steps,
  revision,
  restartsCount,
}: RunCommit): string | null {
  switch (transition.kind) {
    case "suspend":
      return continuationText(transition.continuation, journaled + steps.length, revision);
    case "keep":
      if (transition.continuation !== undefined) {
        return continuationText(transition.continuation, journaled + steps.length, revision);
      }
      // An object that changes nothing: what is written restarts the count.
      return restartsCount ? "{}" : null;
    case "complete":
      return transition.output ?? null;
    case "fail":
    case "retry":
    case "cancel":
      return JSON.stringify(transition.error);
    case "release":
      return null;
    default:
      return transition satisfies never;
  }
}

export const toCommitResult = (row: CommitResultRow): CommitResult | BusyCommit => ({
  runId: row.run_id,
  receipt: row.receipt,
  outcome: row.outcome,
  resolved: row.resolved ?? [],
});
