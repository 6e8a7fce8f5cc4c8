/** A way to call a function: read by evaluation, types and documentation. */
import { EXPRESSION_LIMITS } from "./limits.ts";
import type { Pattern } from "./pattern.ts";
import type { Instant, Span } from "./time.ts";
import { type Charge, costOf, kindOf, type Value } from "./value.ts";

/** The kinds that a parameter takes; `any` is each of them. */
export type ParameterKind =
  | "any"
  | "boolean"
  | "number"
  | "text"
  | "time"
  | "duration"
  | "list"
  | "object";

export type ResultKind =
  | "any"
  | "boolean"
  | "integer"
  | "number"
  | "text"
  | "time"
  | "duration"
  | "list of text";

/** The services of an evaluation to functions. */
export interface FunctionContext {
  readonly charge: Charge;
  readonly pattern: (source: string) => Pattern;
}

/** The values of a call: the target of a method first. Each is of the kind that the overload declares. */
export interface Arguments extends FunctionContext {
  readonly any: (at: number) => Value;
  readonly text: (at: number) => string;
  readonly number: (at: number) => number;
  readonly list: (at: number) => readonly Value[];
  readonly time: (at: number) => Instant;
  readonly duration: (at: number) => Span;
}

export interface Overload {
  readonly name: string;
  /** Kind of the value before the dot of a method. */
  readonly target?: ParameterKind;
  readonly parameters: readonly ParameterKind[];
  readonly result: ResultKind;
  /** Throws RangeError with a reason. */
  readonly call: (given: Arguments) => Value;
}

/** A function that is called without a value before a dot. */
export function plain(
  name: string,
  parameters: readonly ParameterKind[],
  result: ResultKind,
  call: Overload["call"],
): Overload {
  return { name, parameters, result, call };
}

/** A function that is called on a value. */
export function method(
  name: string,
  target: ParameterKind,
  parameters: readonly ParameterKind[],
  result: ResultKind,
  call: Overload["call"],
): Overload {
  return { name, target, parameters, result, call };
}

/** Whether values, the target first, are of the kinds of an overload. */
export function fits(
  { target, parameters }: Overload,
  values: readonly Value[],
  isMethod: boolean,
): boolean {
  if ((target !== undefined) !== isMethod) return false;
  const kinds = target === undefined ? parameters : [target, ...parameters];
  return (
    kinds.length === values.length &&
    values.every((value, at) => kinds[at] === "any" || kindOf(value) === kinds[at])
  );
}

export function argumentsOf(values: readonly Value[], context: FunctionContext): Arguments {
  const any = (at: number): Value => values[at] ?? null;
  return {
    ...context,
    any,
    text: (at) => any(at) as string,
    number: (at) => any(at) as number,
    list: (at) => any(at) as readonly Value[],
    time: (at) => any(at) as Instant,
    duration: (at) => any(at) as Span,
  };
}

/** How a function is called, for messages and documentation: `text.contains(text)`. */
export function signatureOf({ name, target, parameters }: Overload): string {
  return `${target === undefined ? "" : `${target}.`}${name}(${parameters.join(", ")})`;
}

/** A number of arithmetic: exact in JSON, or RangeError. */
export function exact(value: number): number {
  if (Number.isNaN(value)) throw new RangeError("the result isn't a number");
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new RangeError("the result is beyond 9007199254740991, where numbers aren't exact");
  }
  return value;
}

/** A text that is put together: RangeError if it is larger than a result may be. */
export function bounded(value: string, charge: Charge): string {
  boundLength(value.length);
  charge(costOf(value));
  return value;
}

export function boundLength(length: number): void {
  if (length > EXPRESSION_LIMITS.result) {
    throw new RangeError(`the text is longer than ${EXPRESSION_LIMITS.result} characters`);
  }
}
