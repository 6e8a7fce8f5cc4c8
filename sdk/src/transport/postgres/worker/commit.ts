/** Group commits as the arguments of `workflow_commit`. */
import { InvalidArgument } from "../../../core/errors.ts";
import type {
  BusyCommit,
  CommitResult,
  ResolvedWait,
  RunCommit,
  StepEffect,
} from "../../../protocol/commit.ts";
import { plainArrayText, unlessNone } from "../connection/arguments.ts";
import type { ParametersOf } from "../connection/call.ts";
import { continuationText, iso } from "./continuation.ts";
import type { CommitAnswer, ValueText } from "../../../protocol/relay.ts";
import type { workflowCommit } from "./functions.ts";

export type CommitParameters = ParametersOf<typeof workflowCommit>;

/** The only one. */
export const aloneIn = (items: readonly RunCommit[]): RunCommit | undefined =>
  items.length === 1 ? items[0] : undefined;

/** The arguments of `workflow_commit`: one array a parameter, null where no element has a value. */
export function commitArguments(items: readonly RunCommit[]): CommitParameters {
  const [steps, decisions] = stepColumns(items);
  return [
    items.map((item) => item.workflow),
    plainArrayText(items.map((item) => item.runId)),
    plainArrayText(items.map((item) => item.receipt)),
    plainArrayText(items.map((item) => item.transition.kind)),
    unlessNone(items.map(resultText)),
    unlessNone(items.map(({ transition }) => resumeTime(transition))),
    ...steps,
    ...stateColumns(items),
    ...streamColumns(items),
    ...effectColumns(items),
    items.map(({ known }) => (known === undefined ? null : JSON.stringify(known))),
    items.length > 1,
    decisions,
  ];
}

/** How many arguments `workflow_commit` has. */
const COMMIT_LENGTH: CommitParameters["length"] = 34;

/** Arguments that a server passes on. @throws InvalidArgument */
export function writtenArguments(values: readonly ValueText[]): CommitParameters {
  if (values.length === COMMIT_LENGTH) return values as unknown as CommitParameters;
  throw new InvalidArgument(`A commit has ${COMMIT_LENGTH} values, not ${values.length}.`);
}

/** The result of each item. @throws If the answer is not about as many runs. */
export function commitResults(
  items: readonly RunCommit[],
  answer: CommitAnswer | undefined,
): (CommitResult | BusyCommit)[] {
  if (answer?.runs !== items.length) {
    throw new Error(`A commit of ${items.length} runs was answered for ${answer?.runs ?? 0}.`);
  }
  const exceptions = new Map(answer.exceptions?.map((exception) => [exception.runId, exception]));
  return items.map(({ runId, receipt }) => {
    const { outcome = "ok", resolved } = exceptions.get(runId) ?? {};
    return { runId, receipt, outcome, resolved: resolved ?? NONE };
  });
}

const NONE: readonly ResolvedWait[] = [];

const resumeTime = (transition: RunCommit["transition"]): string | null =>
  "resumeAt" in transition && transition.resumeAt !== undefined ? iso(transition.resumeAt) : null;

/** In one pass, since every commit has steps: a tenth of the time of a worker goes into its commits. */
function stepColumns(items: readonly RunCommit[]) {
  const [inItem, positions, attempts, durations]: [number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
  ];
  const [names, kinds]: [string[], string[]] = [[], []];
  const [outputs, errors, decisions]: [Column, Column, Column] = [[], [], []];
  for (const [index, { steps, journaled }] of items.entries()) {
    for (const [offset, step] of steps.entries()) {
      inItem.push(index + 1);
      positions.push(journaled + offset + 1);
      names.push(step.name);
      kinds.push(step.kind);
      outputs.push(step.output ?? null);
      errors.push(step.error === undefined ? null : JSON.stringify(step.error));
      attempts.push(step.attempts);
      durations.push(step.durationMs);
      decisions.push(step.decisions ?? null);
    }
  }
  return [
    [
      plainUnlessEmpty(inItem),
      plainUnlessEmpty(positions),
      unlessEmpty(names),
      plainUnlessEmpty(kinds),
      unlessEmpty(outputs),
      unlessNone(errors),
      plainUnlessEmpty(attempts),
      plainUnlessEmpty(durations),
    ],
    unlessNone(decisions),
  ] as const;
}

type Column = (string | null)[];

function stateColumns(items: readonly RunCommit[]) {
  const state = within(items, (item) => item.state);
  return [
    unlessEmpty(state.map(({ item }) => item)),
    unlessEmpty(state.map(({ of: { key } }) => key)),
    unlessEmpty(state.map(({ of: { value } }) => value ?? null)),
  ] as const;
}

function streamColumns(items: readonly RunCommit[]) {
  const stream = within(items, (item) => item.stream);
  return [
    unlessEmpty(stream.map(({ item }) => item)),
    unlessEmpty(stream.map(({ of: { step } }) => step)),
    unlessEmpty(stream.map(({ of: { attempt } }) => attempt)),
    unlessEmpty(stream.map(({ of: { number } }) => number)),
    unlessEmpty(stream.map(({ of: { value } }) => value ?? null)),
  ] as const;
}

function effectColumns(items: readonly RunCommit[]) {
  const effects = within(items, (item) => item.effects);
  const each = <Value>(take: (effect: StepEffect) => Value): readonly Value[] | null =>
    unlessEmpty(effects.map(({ of }) => take(of)));
  return [
    unlessEmpty(effects.map(({ item }) => item)),
    each((effect) => effect.kind),
    each((effect) => effect.step),
    each(targetOf),
    each((effect) => eventOf(effect) ?? null),
    each((effect) => valueOf(effect) ?? null),
    each((effect) => ("version" in effect ? (effect.version ?? null) : null)),
    each((effect) => ("retentionDays" in effect ? (effect.retentionDays ?? null) : null)),
    unlessNone(effects.map(({ of }) => ("trace" in of ? JSON.stringify(of.trace) : null))),
  ] as const;
}

/** What few commits have, each with the position of its commit. */
function within<Part>(
  items: readonly RunCommit[],
  partsOf: (item: RunCommit) => readonly Part[] | undefined,
): { readonly item: number; readonly of: Part }[] {
  const found: { item: number; of: Part }[] = [];
  for (const [index, item] of items.entries()) {
    for (const of of partsOf(item) ?? []) found.push({ item: index + 1, of });
  }
  return found;
}

const plainUnlessEmpty = (values: readonly (string | number)[]): string | null =>
  values.length === 0 ? null : plainArrayText(values);

const unlessEmpty = <Value>(values: readonly Value[]): readonly Value[] | null =>
  values.length === 0 ? null : values;

function targetOf(effect: StepEffect): string | null {
  if (effect.kind === "cancel" || effect.kind === "approval" || effect.kind === "withdraw") {
    return null;
  }
  if (effect.kind === "signal") return effect.runId;
  return "topic" in effect ? effect.topic : effect.workflow;
}

/** Returns the route of a run that is started or cancelled, among others. */
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
