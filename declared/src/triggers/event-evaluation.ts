/** The evaluation of one event: loads what trigger types add, once each, and asks the guards. */
import type { MatchReport, TriggerDelivery } from "@oxbow/sdk/internal";
import { ExpressionFailed, InvalidExpression } from "../expression/expression-errors.ts";
import type { Scope } from "../expression/evaluate.ts";
import type { ResourceLiteral } from "../expression/expression.ts";
import type { KnownTrigger, TriggerIndex } from "./trigger-index.ts";
import type { TriggerProgram } from "./trigger-program.ts";
import { resourceIn, RESOURCES } from "./resources-of-event.ts";
import { eventWith, type TriggerType } from "./trigger-type.ts";

export interface EventEvaluationOptions {
  readonly event: TriggerDelivery;
  readonly index: TriggerIndex;
  readonly types: ReadonlyMap<string, TriggerType>;
  /** Returns the resources of a type by id. */
  readonly get: (
    type: string,
    ids: readonly string[],
  ) => Promise<Readonly<Record<string, unknown>>>;
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
  const { event, index, types, get, load, pause } = options;
  const matches: MatchReport[] = [];
  const loaded: Record<string, Readonly<Record<string, unknown>>> = {};
  const failures = new Map<string, string>();
  const resources: Record<string, Record<string, unknown>> = {};
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
    try {
      await getMissing(program.resources, resources, get);
    } catch (error) {
      failures.set(RESOURCES, `resources could not be read: ${messageOf(error)}`);
      continue;
    }
    const scope = {
      variables: { event: eventWith(event.message, loaded[program.on]) },
      resource: resourceIn(resources),
    };
    const match = matchOf(event, trigger, program, scope);
    if (match !== undefined) matches.push(match);
    await pause();
  }
  const [failure] = failures.values();
  if (Object.keys(resources).length > 0) loaded[RESOURCES] = resources;
  return { matches, loaded, failure };
}

/** Adds the resources that aren't read yet; one that doesn't exist is null. */
async function getMissing(
  wanted: readonly ResourceLiteral[],
  resources: Record<string, Record<string, unknown>>,
  get: EventEvaluationOptions["get"],
): Promise<void> {
  const missing = wanted.filter(({ type, id }) => resources[type]?.[id] === undefined);
  for (const type of new Set(missing.map((each) => each.type))) {
    const ids = [...new Set(missing.filter((each) => each.type === type).map(({ id }) => id))];
    const found = await get(type, ids);
    const known = (resources[type] ??= {});
    for (const id of ids) known[id] = Object.hasOwn(found, id) ? (found[id] ?? null) : null;
  }
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
