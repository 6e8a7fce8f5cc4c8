/**
 * Why an event started a run, or didn't: computed from the event as it was kept, since nothing is written if no run
 * starts.
 */
import type {
  EventExplanation,
  EventFacts,
  OnceHolder,
  TriggerExplanation,
  TriggerFacts,
} from "../protocol/triggers.ts";
import { messageOf } from "@oxbow/sdk/internal/declared";
import { present } from "../document/json.ts";
import { ExpressionCache } from "../expression/expression-cache.ts";
import { type Explanation, explainGuard } from "../expression/explain.ts";
import { scopeOfEvent } from "./event-scope.ts";
import { isTrigger, TriggerProgram } from "./trigger-program.ts";

type HolderOf = (key: string) => Promise<OnceHolder | undefined>;

/** Explains what an event came to for each trigger of a definition. */
export async function explainEvent(
  { triggers, loaded, ...event }: EventFacts,
  holderOf: HolderOf,
): Promise<EventExplanation> {
  return {
    ...event,
    triggers: await Promise.all(
      triggers.map((trigger) => explainTrigger({ ...event, loaded }, trigger, holderOf)),
    ),
  };
}

/** The guard over the event, and what it would have to be the first to take. */
interface Asked {
  readonly guard: Explanation;
  readonly onceKey: string | undefined;
}

async function explainTrigger(
  event: Omit<EventFacts, "triggers">,
  trigger: TriggerFacts,
  holderOf: HolderOf,
): Promise<TriggerExplanation> {
  const { name, spec, pattern, filter, match } = trigger;
  const { guard, onceKey } = ask(event, spec);
  const key = match?.onceKey ?? onceKey;
  const onceHolder = key === undefined ? undefined : await holderOf(key);
  const { verdict, reason } = judge(event, trigger, guard, onceHolder);
  return {
    name,
    on: isTrigger(spec) ? spec.on : "",
    verdict,
    reason,
    runId: match?.runId ?? (verdict === "once" ? (onceHolder?.runId ?? null) : null),
    pattern,
    filter,
    guardHolds: guard.holds,
    ...present({ guardError: guard.error }),
    conditions: guard.conjuncts.map(({ start: _start, end: _end, ...condition }) => condition),
    onceKey: key ?? null,
    onceHolder: onceHolder ?? null,
  };
}

const WITHOUT_GUARD: Explanation = { holds: true, conjuncts: [] };

function ask(event: Omit<EventFacts, "triggers">, spec: unknown): Asked {
  let program: TriggerProgram;
  try {
    program = new TriggerProgram(spec, new ExpressionCache());
  } catch (error) {
    return { guard: { holds: null, error: messageOf(error), conjuncts: [] }, onceKey: undefined };
  }
  const scope = scopeOfEvent(event, program.on);
  const guard = program.guard === undefined ? WITHOUT_GUARD : explainGuard(program.guard, scope);
  try {
    return { guard, onceKey: guard.holds === true ? program.onceKey(scope) : undefined };
  } catch (error) {
    return { guard: { ...guard, holds: null, error: messageOf(error) }, onceKey: undefined };
  }
}

type Judgement = Pick<TriggerExplanation, "verdict" | "reason">;

/** The first reason that applies, in the order in which the event passes them. */
function judge(
  { topic, state, error, depth, definitionState }: Omit<EventFacts, "triggers">,
  { match, matchesTopic, matchesFilter, wasListening, pattern }: TriggerFacts,
  guard: Explanation,
  onceHolder: OnceHolder | undefined,
): Judgement {
  if (match !== null) return { verdict: match.outcome, reason: reasonOf(match, onceHolder) };
  if (!matchesTopic) {
    const wanted = pattern === null ? "no topic" : `"${pattern}"`;
    return { verdict: "other-topic", reason: `It wants ${wanted}, and the topic is "${topic}".` };
  }
  if (!matchesFilter) {
    return {
      verdict: "filtered",
      reason: "The message lacks what the guard or the scope of the definition requires.",
    };
  }
  if (state === "refused") {
    const reason = `${depth} runs that triggers started led to the event: triggers may start each other in a circle.`;
    return { verdict: "refused", reason };
  }
  if (guard.holds === null) {
    return { verdict: "failed", reason: `The guard fails: ${guard.error ?? "unknown error"}` };
  }
  if (!guard.holds) {
    const failing = guard.conjuncts.find(({ holds }) => holds !== true);
    return { verdict: "guard", reason: `The guard is false: ${failing?.text ?? "all of it"}` };
  }
  if (state === "retrying" || state === "failed") {
    const reason = `The event was not evaluated: ${error ?? "unknown error"}`;
    return { verdict: state === "failed" ? "failed" : "waiting", reason };
  }
  if (!wasListening) {
    const reason = "The trigger was published after the event, or belongs to another version.";
    return { verdict: "not-listening", reason };
  }
  if (onceHolder !== undefined) return { verdict: "once", reason: heldBy(onceHolder) };
  return {
    verdict: "matches",
    reason:
      definitionState === "published"
        ? "The guard holds for the event, but the trigger that was in force then did not start a run."
        : `The guard holds, and the definition is ${definitionState}.`,
  };
}

function reasonOf(
  { outcome, error, dueAt, runId }: NonNullable<TriggerFacts["match"]>,
  holder: OnceHolder | undefined,
): string {
  switch (outcome) {
    case "started":
      return `It started run ${runId ?? ""}.`;
    case "once":
      return holder === undefined
        ? "An earlier event with the same values of once_for started the run."
        : heldBy(holder);
    case "delayed":
      return `The guard held, and is asked again at ${dueAt ?? "a later time"}.`;
    case "withdrawn":
      return "The guard held, and no longer did after the delay.";
    case "paused":
      return "The guard held, and the definition was paused.";
    case "failed":
      return `The trigger failed: ${error ?? "unknown error"}`;
    default:
      return outcome satisfies never;
  }
}

const heldBy = ({ runId, eventId, startedAt }: OnceHolder): string =>
  `Event ${eventId} had the same values of once_for, and started ${runId === null ? "a run" : `run ${runId}`} at ${startedAt.toISOString()}.`;
