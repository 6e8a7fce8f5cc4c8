/** A tool as one value: its texts, its arguments and its handler, the same for both doors. */
import type { Finding, Transport } from "@oxbow/sdk/internal/server";
import type { ErrorObject } from "ajv";
import type { Static, TObject } from "typebox";
import { compileValidator } from "../http/compiled-schemas.ts";

/** What handlers work with. */
export interface ToolContext {
  readonly transport: Transport;
  /** Examines the databases; undefined through a server. */
  readonly examine: (() => Promise<Finding[]>) | undefined;
  /** The message of an error for the caller. */
  readonly describe: (error: unknown) => string;
}

interface ToolDefinition<Input extends TObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly handle: (
    input: Static<Input>,
    context: Pick<ToolContext, "transport" | "examine">,
  ) => Promise<object>;
}

export type Tool = ToolDefinition<TObject>;

export const tool = <const Input extends TObject>(definition: ToolDefinition<Input>): Tool =>
  definition;

/** A call that can't be answered. The message names the value, and what to do. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

/** The arguments of a call with their defaults. @throws ToolFailure */
export function checkInput({ name, input }: Tool, given: unknown): never {
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
