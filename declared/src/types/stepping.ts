/** Steps along a path: from the type of a value to that of its member or item, with what may go wrong. */
import { present } from "../document/json.ts";
import type { Environment, TypeProblem } from "./environment.ts";
import {
  alternativesOf,
  describe,
  type Member,
  type ObjectType,
  type Type,
  unionOf,
  UNKNOWN,
} from "./type.ts";

/** A mistake at a step. */
export type StepFault = Omit<TypeProblem, "start" | "end">;

export interface Step {
  readonly type: Type;
  readonly fault?: StepFault;
}

/** Steps from the scope to one of its names. */
export function stepToName(name: string, { variables }: Environment, isAssured: boolean): Step {
  const variable = variables.get(name);
  if (variable === undefined) {
    const close = closestTo(name, variables.keys());
    const names = [...variables]
      .filter(([, { presence }]) => presence.kind !== "never")
      .map(([each]) => each);
    return {
      type: UNKNOWN,
      fault: {
        code: "UNKNOWN_NAME",
        severity: "error",
        message: `there is no ${name} here`,
        hint:
          close === undefined
            ? `The names are ${names.join(", ")}. Write text in quotes.`
            : `Did you mean ${close}?`,
      },
    };
  }
  return { type: variable.type, ...present({ fault: absence(variable, name, isAssured) }) };
}

/**
 * Steps into a member.
 *
 * @param path - The path with the step, as it is shown in messages.
 * @param isAssured - Whether the expression has asked for the member.
 */
export function stepIntoMember(of: Type, name: string, path: string, isAssured: boolean): Step {
  const alternatives = alternativesOf(of);
  const steps = alternatives.map((each): Step => {
    if (each.kind === "unknown") return { type: UNKNOWN };
    return each.kind === "object" ? memberIn(each, name, path, isAssured) : noMembers(each, path);
  });
  return merge(steps, isAssured);
}

/** Steps into an item of a list, whatever its index. */
export function stepIntoItem(of: Type, path: string): Step {
  const steps = alternativesOf(of).map((each): Step => {
    if (each.kind === "unknown") return { type: UNKNOWN };
    if (each.kind === "list") return { type: each.of };
    if (each.kind === "object") return { type: each.others ?? UNKNOWN };
    return noMembers(each, path);
  });
  return merge(steps, false);
}

/** One fault is enough; it is an error only if no alternative works. */
function merge(steps: readonly Step[], isAssured: boolean): Step {
  const types = steps.filter(({ fault }) => fault?.severity !== "error").map(({ type }) => type);
  const errors = steps.flatMap(({ fault }) => (fault?.severity === "error" ? [fault] : []));
  const [error] = errors;
  const [warning] = steps.flatMap(({ fault }) => (fault?.severity === "warning" ? [fault] : []));
  const type = types.length === 0 ? UNKNOWN : unionOf(types);
  if (error === undefined) return warning === undefined ? { type } : { type, fault: warning };
  if (types.length === 0) return { type, fault: error };
  return isAssured ? { type } : { type, fault: softened(error) };
}

const softened = (fault: StepFault): StepFault => ({
  ...fault,
  severity: "warning",
  code: fault.code === "TYPE_MISMATCH" ? "MAY_MISMATCH" : fault.code,
});

function memberIn(object: ObjectType, name: string, path: string, isAssured: boolean): Step {
  const member = object.members.get(name);
  if (member !== undefined) {
    return { type: member.type, ...present({ fault: absence(member, path, isAssured) }) };
  }
  const type = object.others ?? UNKNOWN;
  // An object without names is a dictionary.
  if (object.others !== undefined && object.members.size === 0) return { type };
  const names = [...object.members.keys()];
  const known = names.length === 0 ? "It has no members." : `It has ${shortList(names)}.`;
  return {
    type,
    fault: {
      code: "UNKNOWN_MEMBER",
      severity: object.others === undefined && !isAssured ? "error" : "warning",
      message: `there is no member "${name}" for ${path}`,
      hint: hintOfClosest(name, names, known),
    },
  };
}

/** Returns the fault of reading a member that may not exist. */
function absence({ presence }: Member, path: string, isAssured: boolean): StepFault | undefined {
  if (presence.kind === "always" || (isAssured && presence.kind === "sometimes")) return undefined;
  const { reason, hint } = presence;
  if (presence.kind === "never") {
    return {
      code: presence.code ?? "NEVER_PRESENT",
      severity: isAssured ? "warning" : "error",
      message: reason ?? `${path} never exists here`,
      hint: hint ?? "Remove it.",
    };
  }
  return {
    code: "MAY_BE_MISSING",
    severity: "warning",
    message: reason ?? `${path} may be missing`,
    hint: hint ?? `Ask first: has(${path}) ? ${path} : …; or give a $path a default.`,
  };
}

function noMembers(type: Type, path: string): Step {
  const parent = path.replace(/(?:\.[^.[]*|\[[^[]*\])$/, "");
  const isNull = type.kind === "null";
  return {
    type: UNKNOWN,
    fault: {
      code: isNull ? "MAY_BE_NULL" : "TYPE_MISMATCH",
      severity: "error",
      message: `${parent} ${isNull ? "may be null" : `is ${describe(type)}`}, which has no members`,
      hint: isNull ? `Ask first: ${parent} != null && …` : `Use ${parent} itself.`,
    },
  };
}

const shortList = (names: readonly string[]): string =>
  `${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`;

/** A hint that names the closest of the names, if one is close. */
export function hintOfClosest(name: string, names: Iterable<string>, otherwise: string): string {
  const close = closestTo(name, names);
  return close === undefined ? otherwise : `Did you mean "${close}"?`;
}

/** The name that differs in at most a third of its letters, or in two. */
export function closestTo(name: string, names: Iterable<string>): string | undefined {
  let closest: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const other of names) {
    if (Math.abs(other.length - name.length) >= least) continue;
    const distance = distanceOf(name.toLowerCase(), other.toLowerCase());
    if (distance < least) {
      least = distance;
      closest = other;
    }
  }
  return closest;
}

/** The Levenshtein distance between two short names. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
