/** Whether values of one type are accepted where another one is wanted. */
import { alternativesOf, describe, type Member, type ObjectType, type Type } from "./type.ts";

/** `maybe`: some values of the type are accepted. */
export type Fit =
  | { readonly kind: "yes" }
  | {
      readonly kind: "maybe" | "no";
      /** The members and items that lead to the difference. */
      readonly path: readonly string[];
      /** The difference in plain English. */
      readonly reason: string;
      readonly hint: string;
    };

const YES: Fit = { kind: "yes" };

/** Compares a type with the wanted one, and reports the first difference that matters most. */
export function fitOf(given: Type, wanted: Type): Fit {
  if (given.kind === "unknown" || wanted.kind === "unknown") return YES;
  if (given.kind === "union") return fitOfUnion(given.of, wanted);
  if (wanted.kind === "union")
    return best(
      wanted.of.map((each) => fitOf(given, each)),
      given,
      wanted,
    );
  if (given.kind === "list" && wanted.kind === "list") {
    return within("[]", fitOf(given.of, wanted.of));
  }
  if (given.kind === "object" && wanted.kind === "object") return fitOfObject(given, wanted);
  if (given.kind === "text" && wanted.kind === "text")
    return fitOfText(given.values, wanted.values);
  if (given.kind === wanted.kind) return YES;
  if (given.kind === "integer" && wanted.kind === "number") return YES;
  // Times and durations become text.
  if (wanted.kind === "text" && (given.kind === "time" || given.kind === "duration")) return YES;
  if (given.kind === "number" && wanted.kind === "integer") {
    return differs("maybe", given, wanted, "Write math.round() or int().");
  }
  return differs("no", given, wanted, conversionTo(given, wanted));
}

function fitOfUnion(alternatives: readonly Type[], wanted: Type): Fit {
  const fits = alternatives.map((each) => fitOf(each, wanted));
  const misfits = fits.filter((fit) => fit.kind !== "yes");
  const [worst] = misfits;
  if (worst === undefined) return YES;
  if (misfits.length === fits.length && misfits.every(({ kind }) => kind === "no")) return worst;
  const isNull = alternatives.some((each, at) => each.kind === "null" && fits[at]?.kind === "no");
  const hint = isNull ? "Give it a value for null: x == null ? 0 : x." : worst.hint;
  return {
    ...worst,
    kind: "maybe",
    hint,
    reason: `it may be ${worst.reason.replace(/^it is /, "")}`,
  };
}

function best(fits: readonly Fit[], given: Type, wanted: Type): Fit {
  const accepted =
    fits.find(({ kind }) => kind === "yes") ?? fits.find(({ kind }) => kind === "maybe");
  if (accepted !== undefined) return accepted;
  const close = alternativesOf(wanted).findIndex(({ kind }) => kind === given.kind);
  return fits[close] ?? differs("no", given, wanted, conversionTo(given, wanted));
}

function fitOfText(
  given: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): Fit {
  if (given === undefined || wanted === undefined) return YES;
  const others = given.filter((value) => !wanted.includes(value));
  if (others.length === 0) return YES;
  const kind = others.length === given.length ? "no" : "maybe";
  const is = describe({ kind: "text", values: others });
  return {
    kind,
    path: [],
    reason: `it is ${is} instead of ${describe({ kind: "text", values: wanted })}`,
    hint: `Use one of ${wanted.map((value) => JSON.stringify(value)).join(", ")}.`,
  };
}

function fitOfObject(given: ObjectType, wanted: ObjectType): Fit {
  let uncertain: Fit = YES;
  for (const [name, member] of wanted.members) {
    const fit = fitOfMember(name, given, member);
    if (fit.kind === "no") return fit;
    if (fit.kind === "maybe" && uncertain.kind === "yes") uncertain = fit;
  }
  for (const [name, { type, presence }] of given.members) {
    if (wanted.members.has(name) || presence.kind === "never") continue;
    const fit =
      wanted.others === undefined
        ? unknownMember(name, wanted)
        : within(name, fitOf(type, wanted.others));
    if (fit.kind === "no" && presence.kind === "always") return fit;
    if (fit.kind !== "yes" && uncertain.kind === "yes") uncertain = { ...fit, kind: "maybe" };
  }
  return uncertain;
}

function fitOfMember(name: string, given: ObjectType, wanted: Member): Fit {
  const own = given.members.get(name);
  const isNeeded = wanted.presence.kind === "always";
  if (own === undefined && given.others !== undefined) return YES;
  if (own === undefined || own.presence.kind === "never") {
    return isNeeded ? missingMember("no", name) : YES;
  }
  const fit = within(name, fitOf(own.type, wanted.type));
  return fit.kind === "yes" && isNeeded && own.presence.kind === "sometimes"
    ? missingMember("maybe", name)
    : fit;
}

function missingMember(kind: "maybe" | "no", name: string): Fit {
  return {
    kind,
    path: [],
    reason: kind === "no" ? `"${name}" is missing` : `"${name}" may be missing`,
    hint: `Add the member "${name}".`,
  };
}

function unknownMember(name: string, { members }: ObjectType): Fit {
  const known =
    members.size === 0 ? "It has no members." : `It has ${[...members.keys()].join(", ")}.`;
  return { kind: "no", path: [], reason: `there is no member "${name}"`, hint: known };
}

function differs(kind: "maybe" | "no", given: Type, wanted: Type, hint: string): Fit {
  return {
    kind,
    path: [],
    reason: `it is ${describe(given)} instead of ${describe(wanted)}`,
    hint,
  };
}

function within(step: string, fit: Fit): Fit {
  return fit.kind === "yes" ? fit : { ...fit, path: [step, ...fit.path] };
}

function conversionTo(given: Type, wanted: Type): string {
  if (wanted.kind === "text" && (given.kind === "number" || given.kind === "integer")) {
    return 'Write {"$text": "{{ … }}"} or string().';
  }
  if (wanted.kind === "text") return 'Write {"$text": "{{ … }}"}.';
  if (given.kind === "text" && wanted.kind === "integer") return "Write int() around the text.";
  if (given.kind === "text" && wanted.kind === "number") return "Write double() around the text.";
  if (given.kind === "null") return "Give it another value.";
  return `Give it ${describe(wanted)}.`;
}
