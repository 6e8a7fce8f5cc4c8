/**
 * Divides large commits of a run, which bounds the size of a request, also over HTTP, and the memory of a statement. Each
 * part journals some of the steps, in order, and keeps the lease; the last one carries the transition.
 */
import type { RunCommit } from "../protocol/commit.ts";

/** Characters of JSON. Nested in JSON they may take twice that, and an HTTP body has at most 64 MiB. */
export const MAX_COMMIT_LENGTH = 16 * 1024 * 1024;

type Parts = Pick<RunCommit, "steps" | "transition" | "state" | "stream" | "effects">;

export function lengthOf({ steps, transition, state, stream, effects }: Parts): number {
  let length = transitionLength(transition);
  for (const step of steps) length += (step.output?.length ?? 0) + (step.decisions?.length ?? 0);
  for (const { value } of state ?? []) length += value?.length ?? 0;
  for (const { value } of stream ?? []) length += value?.length ?? 0;
  for (const effect of effects ?? []) length += effectLength(effect);
  return length;
}

function transitionLength(transition: Parts["transition"]): number {
  if (transition.kind === "complete") return transition.output?.length ?? 0;
  return transition.kind === "continue" ? (transition.input?.length ?? 0) : 0;
}

function effectLength(effect: NonNullable<Parts["effects"]>[number]): number {
  if (effect.kind === "signal") return effect.payload?.length ?? 0;
  if (effect.kind === "publish") return effect.message.length;
  if (effect.kind === "approval") return effect.request.length;
  return "input" in effect ? (effect.input?.length ?? 0) : 0;
}

/** Returns the parts to send first, and the last part. Most commits have only the last one. */
export function splitCommit<Whole extends Parts>(
  commit: Whole,
): { readonly first: readonly Parts[]; readonly last: Whole } {
  if (commit.steps.length < 2 || lengthOf(commit) <= MAX_COMMIT_LENGTH) {
    return { first: [], last: commit };
  }
  const groups = groupSteps(commit.steps);
  const lastSteps = groups.pop() ?? [];
  const { state, stream, effects, ...rest } = commit;
  // A replay assumes that values set and chunks streamed before a journaled step are durable.
  const writes = { ...(state && { state }), ...(stream && { stream }) };
  const first = groups.map((steps, index): Parts => {
    const own = effects?.filter(({ step }) => steps.some(({ name }) => name === step)) ?? [];
    return {
      steps,
      transition: { kind: "keep" },
      ...(index === 0 && writes),
      ...(own.length > 0 && { effects: own }),
    };
  });
  const sent = new Set(groups.flat().map(({ name }) => name));
  const left = effects?.filter(({ step }) => !sent.has(step)) ?? [];
  const last = {
    ...rest,
    steps: lastSteps,
    ...(first.length === 0 && writes),
    ...(left.length > 0 && { effects: left }),
  } as unknown as Whole;
  return { first, last };
}

function groupSteps(steps: Parts["steps"]): Parts["steps"][] {
  const groups: Parts["steps"][number][][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const step of steps) {
    length += step.output?.length ?? 0;
    if (length > MAX_COMMIT_LENGTH) {
      groups.push([]);
      length = step.output?.length ?? 0;
    }
    groups.at(-1)?.push(step);
  }
  return groups;
}
