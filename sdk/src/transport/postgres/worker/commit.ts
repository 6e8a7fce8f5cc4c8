/** Group commits as the arguments of `workflow_commit`. */
import type { RunCommit, StepEffect } from "../../../protocol/commit.ts";
import { unlessNone } from "../connection/arguments.ts";
import { continuationText, iso } from "./continuation.ts";
import type { WorkflowCommitParameters } from "./functions.ts";

/** The arguments of `workflow_commit`: one array a parameter. */
export function commitArguments(items: readonly RunCommit[]): WorkflowCommitParameters {
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
        "resumeAt" in transition && transition.resumeAt !== undefined
          ? iso(transition.resumeAt)
          : null,
      ),
    ),
    unlessEmpty(steps, ({ item }) => item),
    unlessEmpty(steps, ({ position }) => position),
    unlessEmpty(steps, ({ step }) => step.name),
    unlessEmpty(steps, ({ step }) => step.kind),
    unlessEmpty(steps, ({ step }) => step.output ?? null),
    unlessNone(
      steps.map(({ step }) => (step.error === undefined ? null : JSON.stringify(step.error))),
    ),
    unlessEmpty(steps, ({ step }) => step.attempts),
    unlessEmpty(steps, ({ step }) => step.durationMs),
    unlessEmpty(state, ({ item }) => item),
    unlessEmpty(state, ({ key }) => key),
    unlessEmpty(state, ({ value }) => value),
    unlessEmpty(stream, ({ item }) => item),
    unlessEmpty(stream, ({ step }) => step),
    unlessEmpty(stream, ({ attempt }) => attempt),
    unlessEmpty(stream, ({ number }) => number),
    unlessEmpty(stream, ({ value }) => value ?? null),
    unlessEmpty(effects, ({ item }) => item),
    unlessEmpty(effects, ({ effect }) => effect.kind),
    unlessEmpty(effects, ({ effect }) => effect.step),
    unlessEmpty(effects, ({ effect }) => targetOf(effect)),
    unlessEmpty(effects, ({ effect }) => eventOf(effect) ?? null),
    unlessEmpty(effects, ({ effect }) => valueOf(effect) ?? null),
    unlessEmpty(effects, ({ effect }) => ("version" in effect ? (effect.version ?? null) : null)),
    unlessEmpty(effects, ({ effect }) =>
      "retentionDays" in effect ? (effect.retentionDays ?? null) : null,
    ),
    unlessNone(
      effects.map(({ effect }) => ("trace" in effect ? JSON.stringify(effect.trace) : null)),
    ),
    items.map(({ known }) => (known === undefined ? null : JSON.stringify(known))),
    items.length > 1,
    unlessNone(steps.map(({ step }) => step.decisions ?? null)),
  ];
}

const unlessEmpty = <Item, Value>(
  items: readonly Item[],
  of: (item: Item) => Value,
): readonly Value[] | null => (items.length === 0 ? null : items.map(of));

function targetOf(effect: StepEffect): string | null {
  if (effect.kind === "cancel" || effect.kind === "approval" || effect.kind === "withdraw") {
    return null;
  }
  if (effect.kind === "signal") return effect.runId;
  return "topic" in effect ? effect.topic : effect.workflow;
}

/** Of a run that is started or cancelled, its route. */
function eventOf(effect: StepEffect): string | undefined {
  if ("event" in effect) return effect.event;
  return "route" in effect ? effect.route : undefined;
}

function valueOf(effect: StepEffect): string | undefined {
  if (effect.kind === "cancel" || effect.kind === "withdraw") return undefined;
  if (effect.kind === "approval") return effect.request;
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
    case "continue":
      return nextGenerationText(transition);
    case "release":
      return transition.reason === undefined ? null : JSON.stringify({ reason: transition.reason });
    default:
      return transition satisfies never;
  }
}

/** The input is JSON already. */
function nextGenerationText({
  input,
  version,
}: Extract<RunCommit["transition"], { kind: "continue" }>): string {
  const members = [
    ...(input === undefined ? [] : [`"input":${input}`]),
    ...(version === undefined ? [] : [`"version":${version}`]),
  ];
  return `{${members.join(",")}}`;
}
