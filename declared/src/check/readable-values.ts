/** The values that a place of a document can read, for editors that offer them. `scopes.ts` judges which may be missing. */
import type { Document, JsonSchema } from "../document/document.ts";
import { present } from "../document/json.ts";
import { showPath } from "../expression/reads.ts";
import { fitOf } from "../types/assignable.ts";
import { typeOfSchema } from "../types/from-schema.ts";
import { describe, type Member, type Presence, type Type, UNKNOWN } from "../types/type.ts";
import { Analysis } from "./analysis.ts";
import type { Catalog } from "./catalog.ts";
import { type ConditionScope, variablesOf } from "./condition-scope.ts";
import { resourceSchemas } from "./resource-schemas.ts";
import type { Place } from "./scopes.ts";

/** Where a value is read. */
export type ReadablePlace =
  /** In the parameters, the guard `when`, the fallback or the rollback of a node. */
  | { readonly kind: "parameters" | "guard" | "fallback" | "rollback"; readonly node: string }
  /** At the end of an iteration of a loop: in its `collect` or `until`. */
  | { readonly kind: "body"; readonly loop: string }
  /** In a trigger, by its id. */
  | { readonly kind: "trigger"; readonly trigger: string };

/** A value that a place can read. */
export interface ReadableValue {
  /** As a `$path` has it, such as `nodes.fetch.output.id`. */
  readonly path: string;
  /** Its type in plain English. */
  readonly type: string;
  /** Whether the value exists whenever the place is evaluated. */
  readonly isGuaranteed: boolean;
  /** Why it may be missing, if that is known. */
  readonly reason?: string;
  /** Whether values of its type are accepted by the wanted schema. */
  readonly fit: "yes" | "maybe" | "no";
}

/** Members of members that are listed. */
const MAX_DEPTH = 5;
const MAX_VALUES = 2_000;

/**
 * Lists the values that a place can read: guaranteed values first, and of these the fitting ones. Values that
 * never exist there are absent.
 *
 * @param document - A document that `readDocument` has accepted.
 * @param wanted - Schema of the value that the place needs. Default: any.
 */
export function readableValues(
  document: Document,
  catalog: Catalog,
  place: ReadablePlace,
  wanted?: JsonSchema,
): readonly ReadableValue[] {
  const analysis = new Analysis(document, catalog, true);
  return listed(variablesAt(analysis, place), typeOfSchema(wanted, analysis.resolve));
}

/**
 * Lists the values that a condition outside of workflows can read, in the order of `readableValues`.
 *
 * @param scope - As for `checkCondition`.
 */
export function readableInCondition(
  scope: ConditionScope,
  catalog: Pick<Catalog, "resourceType"> = {},
): readonly ReadableValue[] {
  return listed(variablesOf(scope, resourceSchemas(catalog)), UNKNOWN);
}

/** The values of variables and of their members, the best first. */
function listed(
  variables: ReadonlyMap<string, Member>,
  wantedType: Type,
): readonly ReadableValue[] {
  const values: ReadableValue[] = [];
  for (const [name, member] of variables) {
    list([name], member, { wanted: wantedType, isGuaranteed: true }, values);
  }
  // An object without a schema fits anything: values of exactly the wanted type come first.
  const exact = wantedType.kind === "unknown" ? undefined : describe(wantedType);
  const rank = ({ isGuaranteed, fit, type }: ReadableValue): number =>
    (isGuaranteed ? 0 : 10) + (type === exact ? 0 : 1 + FITS.indexOf(fit));
  return values.toSorted((a, b) => rank(a) - rank(b));
}

const FITS = ["yes", "maybe", "no"];

function variablesAt(
  { document, catalog, scopes, resolve }: Analysis,
  place: ReadablePlace,
): ReadonlyMap<string, Member> {
  if (place.kind !== "trigger") return scopes.at(place satisfies Place).variables;
  const trigger = document.triggers?.[place.trigger];
  const event = trigger === undefined ? undefined : catalog.trigger?.(trigger.on)?.event;
  return scopes.ofTrigger(typeOfSchema(event, resolve)).variables;
}

interface Reading {
  readonly wanted: Type;
  readonly isGuaranteed: boolean;
  readonly reason?: string;
}

function list(
  path: readonly [string, ...string[]],
  { type, presence }: Member,
  around: Reading,
  values: ReadableValue[],
): void {
  if (presence.kind === "never" || values.length >= MAX_VALUES) return;
  const reading = { ...around, ...standing(presence, around) };
  const [variable] = path;
  // Neither the nodes nor the loops as a whole are a value.
  const isValue = !(variable === "nodes" || variable === "loops") || path.length > 2;
  const isRoot = path.length === 1 && (variable === "config" || variable === "run");
  if (isValue && !isRoot) values.push(valueOf(path, type, reading));
  if (type.kind !== "object" || path.length > MAX_DEPTH) return;
  for (const [name, member] of type.members) list([...path, name], member, reading, values);
}

function standing(presence: Presence, around: Reading): Omit<Reading, "wanted"> {
  if (presence.kind === "always") return around;
  return { isGuaranteed: false, ...present({ reason: presence.reason }) };
}

function valueOf(
  path: readonly [string, ...string[]],
  type: Type,
  { wanted, isGuaranteed, reason }: Reading,
): ReadableValue {
  return {
    path: showPath(path),
    type: describe(type),
    isGuaranteed,
    ...present({ reason }),
    fit: fitOf(type, wanted).kind,
  };
}
