/** A tool as one value, the same for both doors: its texts, its handler, and its arguments, which it checks. */
import type { Finding, Transport } from "@oxbow/sdk/internal/server";
import type { ErrorObject } from "ajv";
import type { Static, TObject } from "typebox";
import { compileValidator } from "../http/compiled-schemas.ts";
import type { Scope } from "../http/scopes.ts";
import type { Confirmations } from "./confirmations.ts";
import { ToolFailure } from "./tool-failure.ts";

/** The collaborators of handlers. */
export interface ToolContext {
  readonly transport: Transport;
  /** Examines the databases; undefined through a server. */
  readonly examine: (() => Promise<Finding[]>) | undefined;
  /** The message of an error for the caller. */
  readonly describe: (error: unknown) => string;
  /** Undefined if no tool may change anything. */
  readonly operator: Operator | undefined;
}

/** A permission to do more than read: to `start` exposed workflows, or also to `operate` runs and queues. */
export type Allowance = "start" | "operate";

/** A caller who may change something. */
export interface Operator {
  readonly allowance: Allowance;
  /** Makes its changes in the name of the caller, whom the audit records. */
  readonly transport: Transport;
  /** The caller, to whom confirmations are bound. */
  readonly subject: string;
  readonly confirmations: Confirmations;
  readonly has: (scope: Scope) => boolean;
  readonly describe: (error: unknown) => string;
  readonly onSignal: (workflow: string, event: string) => void;
  /** Aborts when the server stops, and calls are to return. */
  readonly stopping: AbortSignal | undefined;
}

interface Texts<Input extends TObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
}

interface ReadingTool<Input extends TObject> extends Texts<Input> {
  readonly handle: (
    input: Static<Input>,
    context: Pick<ToolContext, "transport" | "examine">,
  ) => Promise<object>;
}

interface ChangingTool<Input extends TObject> extends Texts<Input> {
  /** The scope that REST requires for the same change. */
  readonly scope: Scope;
  /** Whether the change, or what it makes workflows do again, can't be taken back. */
  readonly isDestructive: boolean;
  /** Whether a second call changes nothing more. */
  readonly isIdempotent: boolean;
  readonly handle: (input: Static<Input>, operator: Operator) => Promise<object>;
}

export type Reading = ReadingTool<TObject>;
export type Changing = ChangingTool<TObject>;

export const reading = <const Input extends TObject>(definition: ReadingTool<Input>): Reading =>
  definition;

export const changing = <const Input extends TObject>(definition: ChangingTool<Input>): Changing =>
  definition;

/** The arguments of a call with their defaults. @throws ToolFailure */
export function checkInput({ name, input }: Texts<TObject>, given: unknown): never {
  const values: unknown = structuredClone(given ?? {});
  const verdict = compileValidator({ schema: input as never, httpPart: "body" })(values);
  if (verdict === true) return values as never;
  throw new ToolFailure(describeIssue(name, input, values, verdict.error[0]));
}

function describeIssue(
  name: string,
  { properties }: TObject,
  values: unknown,
  issue: ErrorObject | undefined,
): string {
  const names = Object.keys(properties).join(", ");
  const { params = {}, keyword, message = "is invalid", instancePath = "" } = issue ?? {};
  const { additionalProperty, missingProperty, allowedValues } = params as Record<string, unknown>;
  if (keyword === "additionalProperties") {
    const takes = names === "" ? "it takes no arguments" : `it takes ${names}`;
    return `${name} has no argument "${shortened(additionalProperty)}": ${takes}.`;
  }
  if (keyword === "required") return `${name} requires the argument ${String(missingProperty)}.`;
  const [, argument = ""] = instancePath.split("/");
  const value = (values as Readonly<Record<string, unknown>>)[argument];
  const allowed = Array.isArray(allowedValues) ? `: ${allowedValues.join(", ")}` : "";
  return `Invalid argument ${argument} of ${name}: ${shortened(JSON.stringify(value))} ${message}${allowed}.`;
}

const shortened = (value: unknown): string => String(value).slice(0, 80);
