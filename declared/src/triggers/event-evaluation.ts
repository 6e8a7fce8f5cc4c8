/** The evaluation of one event: loads what trigger types add and reads resources, once each, and asks the guards. */
import { MisplacedSecret } from "../nodes/parameters.ts";
import type { MatchReport, TriggerDelivery } from "../protocol/triggers.ts";
import { messageOf, toStorableText } from "@oxbow/sdk/internal/declared";
import { Budget } from "../expression/budget.ts";
import { ExpressionFailed, InvalidExpression } from "../expression/expression-errors.ts";
import type { Scope } from "../expression/evaluate.ts";
import type { ResourceLiteral } from "../expression/expression.ts";
import type { KnownTrigger, TriggerIndex } from "./trigger-index.ts";
import type { TriggerProgram } from "./trigger-program.ts";
import { type GetResources, readResources } from "./resource-reading.ts";
import { resourceIn, RESOURCES } from "./resources-of-event.ts";
import { eventWith, type TriggerType } from "./trigger-type.ts";
import { own } from "../document/json.ts";

export interface EventEvaluationOptions {
  readonly event: TriggerDelivery;
  readonly index: TriggerIndex;
  readonly types: ReadonlyMap<string, TriggerType>;
  readonly get: GetResources;
  readonly load: (type: TriggerType) => Promise<Readonly<Record<string, unknown>>>;
  /** Called between guards, so that other work of the process gets its turn. */
  readonly pause: () => Promise<void> | undefined;
}

export interface EvaluatedEvent {
  readonly matches: readonly MatchReport[];
  /** Members that were loaded, by trigger type. */
  readonly loaded: Readonly<Record<string, unknown>>;
  /** Why some triggers weren't evaluated. */
  readonly failure: string | undefined;
  /** Why others weren't, which another worker can evaluate. */
  readonly unknown: string | undefined;
}

export async function evaluateEvent(options: EventEvaluationOptions): Promise<EvaluatedEvent> {
  const { event, index, types, get, load, pause } = options;
  const matches: MatchReport[] = [];
  const wanted: { trigger: KnownTrigger; program: TriggerProgram }[] = [];
  let unknown: string | undefined;
  for (const trigger of wanting(event, index)) {
    const program = readProgram(trigger);
    if (program instanceof Error) matches.push(failed(event, trigger, program));
    else if (loadsAll(types.get(program.on), trigger)) wanted.push({ trigger, program });
    else unknown ??= `No worker that loads ${program.on} has received the event yet.`;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  const [{ loaded, failures }, resources] = await Promise.all([
    loadTypes(new Set(wanted.map(({ program }) => program.on)), types, load),
    // The event keeps them: what can't be kept would fail the report of all its triggers.
    readResources(literalsOf(wanted), get, toStorableText),
  ]);
  let failure: string | undefined;
  for (const { trigger, program } of wanted) {
    const missing = failures.get(program.on) ?? resources.failureOf(program.resources);
    if (missing !== undefined) {
      failure ??= messageOf(missing);
      continue;
    }
    const scope = {
      variables: { event: eventWith(event.message, own(loaded, program.on)) },
      resource: resourceIn(resources.found),
      budget: new Budget(),
    };
    const match = matchOf(event, trigger, program, scope);
    if (match !== undefined) matches.push(match);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  if (Object.keys(resources.found).length > 0) loaded[RESOURCES] = resources.found;
  return { matches, loaded, failure, unknown };
}

/** A release that doesn't know the type, or knows an older one, evaluates nothing without the members. */
const loadsAll = (type: TriggerType | undefined, { loads }: KnownTrigger): boolean =>
  loads.every((member) => type?.loads.includes(member) === true);

interface LoadedTypes {
  readonly loaded: Record<string, unknown>;
  /** Messages by type. */
  readonly failures: ReadonlyMap<string, string>;
}

async function loadTypes(
  names: ReadonlySet<string>,
  types: ReadonlyMap<string, TriggerType>,
  load: EventEvaluationOptions["load"],
): Promise<LoadedTypes> {
  const loaded: Record<string, unknown> = {};
  const failures = new Map<string, string>();
  const loadType = async (type: TriggerType): Promise<void> => {
    try {
      const members = only(type.loads, await load(type));
      // The event keeps them: what can't be kept would fail the report of all its triggers.
      toStorableText(members, "what it returned");
      loaded[type.name] = members;
    } catch (error) {
      failures.set(type.name, `${type.name} could not be loaded: ${messageOf(error)}`);
    }
  };
  await Promise.all(
    [...names].map(async (name) => {
      const type = types.get(name);
      if (type?.load !== undefined) await loadType(type);
    }),
  );
  return { loaded, failures };
}

function* literalsOf(
  wanted: readonly { readonly program: TriggerProgram }[],
): Iterable<ResourceLiteral> {
  for (const { program } of wanted) yield* program.resources;
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
    if (
      error instanceof ExpressionFailed ||
      error instanceof InvalidExpression ||
      error instanceof MisplacedSecret
    ) {
      return failed(event, trigger, error);
    }
    throw error;
  }
}

const failed = (event: TriggerDelivery, trigger: KnownTrigger, error: Error): MatchReport => ({
  ...identityOf(event, trigger),
  outcome: "failed",
  error: messageOf(error),
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
    members.filter((name) => own(loaded, name) !== undefined).map((name) => [name, loaded[name]]),
  );
}
