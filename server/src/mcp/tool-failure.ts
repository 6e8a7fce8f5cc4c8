import type { Scope } from "../http/scopes.ts";

/** A call that can't be answered. The message names the value, and what to do. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export const lacksScope = (call: string, scope: Scope): ToolFailure =>
  new ToolFailure(`${call} requires the scope "${scope}", which the token lacks.`);
