/** The evaluation of one event: loads what trigger types add, once each, and asks the guards. */
import type { MatchReport, TriggerDelivery } from "@oxbow/sdk/internal";
import { ExpressionFailed, InvalidExpression } from "../expression/expression-errors.ts";
import type { Scope } from "../expression/evaluate.ts";
import type { KnownTrigger, TriggerIndex } from "./trigger-index.ts";
import type { TriggerProgram } from "./trigger-program.ts";
import { eventWith, type TriggerType } from "./trigger-type.ts";

export interface EventEvaluationOptions {
  readonly event: TriggerDelivery;
  readonly index: TriggerIndex;
  readonly types: ReadonlyMap<string, TriggerType>;
  readonly load: (type: TriggerType) => Promise<Readonly<Record<string, unknown>>>;
  /** Called between guards, so that other work of the process gets its turn. */
  readonly pause: () => Promise<void> | undefined;
}

/** What an evaluation came to. */
export interface EvaluatedEvent {
  readonly matches: readonly MatchReport[];
  /** Members that were loaded, by trigger type. */
  readonly loaded: Readonly<Record<string, unknown>>;
  /** Why the triggers of some types weren't evaluated. */
  readonly failure: string | undefined;
}

export async function evaluateEvent(options: EventEvaluationOptions): Promise<EvaluatedEvent> {
  const { event, index, types, load, pause } = options;
  const matches: MatchReport[] = [];
  const loaded: Record<string, Readonly<Record<string, unknown>>> = {};
  const failures = new Map<string, string>();
  for (const trigger of wanting(event, index)) {
    const program = readProgram(trigger);
    if (program instanceof Error) {
      matches.push(failed(event, trigger, program));
      continue;
    }
    const type = types.get(program.on);
    if (type?.load !== undefined && loaded[type.name] === undefined && !failures.has(type.name)) {
      try {
        loaded[type.name] = only(type.loads, await load(type));
      } catch (error) {
        failures.set(type.name, `${type.name} could not be loaded: ${messageOf(error)}`);
      }
    }
    if (failures.has(program.on)) continue;
    // `resource()` has no values until workers know resources.
    const scope = { variables: { event: eventWith(event.message, loaded[program.on]) } };
    const match = matchOf(event, trigger, program, scope);
    if (match !== undefined) matches.push(match);
    await pause();
  }
  const [failure] = failures.values();
  return { matches, loaded, failure };
}

function wanting(event: TriggerDelivery, index: TriggerIndex): Iterable<KnownTrigger> {
  if (event.only === null) return index.behind(event.subscriptionIds);
  const { definition, trigger } = event.only;
  const known = index.get(definition, trigger);
  return known === undefined ? [] : [known];
}

function readProgram(trigger: KnownTrigger): TriggerProgram | Error {
  try {
    return trigger.program();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function matchOf(
  event: TriggerDelivery,
  trigger: KnownTrigger,
  program: TriggerProgram,
  scope: Scope,
): MatchReport | undefined {
  try {
    const accepted = program.evaluate(scope);
    if (accepted !== undefined) {
      return { ...identityOf(event, trigger), outcome: "start", ...accepted };
    }
    return event.only?.recheck === true
      ? { ...identityOf(event, trigger), outcome: "withdrawn" }
      : undefined;
  } catch (error) {
    if (error instanceof ExpressionFailed || error instanceof InvalidExpression) {
      return failed(event, trigger, error);
    }
    throw error;
  }
}

const failed = (event: TriggerDelivery, trigger: KnownTrigger, error: Error): MatchReport => ({
  ...identityOf(event, trigger),
  outcome: "failed",
  error: error.message,
});

const identityOf = (
  { receipt }: TriggerDelivery,
  { definition, version, name }: KnownTrigger,
): Pick<MatchReport, "receipt" | "definition" | "version" | "trigger"> => ({
  receipt,
  definition,
  version,
  trigger: name,
});

function only(
  members: readonly string[],
  loaded: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    members.filter((name) => loaded[name] !== undefined).map((name) => [name, loaded[name]]),
  );
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
