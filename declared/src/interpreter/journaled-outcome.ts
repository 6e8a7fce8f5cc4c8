/** The outcome of a node, read from the row that it left in the journal. */
import type { Document, Node } from "../document/document.ts";
import { isObject, type Json, own } from "../document/json.ts";
import type { Finished } from "../nodes/behaviour.ts";
import { failureOf } from "../nodes/failure.ts";
import { type Pin, testedCallIn } from "./test-plan.ts";

/** A row of the journal, as `client.runs.steps` returns it. */
export interface ProgressRow {
  readonly name: string;
  /** `decision` for a row of only decisions, which has the name of the first one. */
  readonly kind?: string;
  readonly output?: unknown;
  readonly error?: { readonly code?: string };
  readonly attempts: number;
  readonly decisions?: readonly { readonly name: string; readonly output?: unknown }[];
}

/** Whether the output of a node type names its handle, because the type has several. */
export type HasHandles = (type: string) => boolean;

/** The error of a step that its body has abandoned. */
export const ABANDONED = "STEP_ABANDONED";

/** @param row Without an error. */
export function journaledOutcome(
  { type }: Node,
  { output, attempts }: ProgressRow,
  hasHandles: HasHandles,
): Finished {
  const tested = testedCallIn(output);
  if (tested !== undefined) return { handle: tested.handle, output: tested.output };
  const value = (output ?? null) as Json;
  const isWait = type.startsWith("wait@");
  const isApproval = type.startsWith("approve@");
  if ((isWait || isApproval) && attempts === 0) return { handle: "timeout", output: null };
  if (isWait) return { handle: "received", output: value };
  const handle = isObject(value) ? value[isApproval ? "decision" : "handle"] : undefined;
  if ((!isApproval && !hasHandles(type)) || typeof handle !== "string") {
    return { handle: "out", output: value };
  }
  return { handle, output: isApproval ? value : ((value as { output?: Json }).output ?? null) };
}

/**
 * Pins that give nodes the results that they had in a run. Nodes inside loops have no pins, since they have a result an
 * iteration; nor have nodes that only their bindings decide or compute.
 */
export function pinsOf(
  { nodes }: Pick<Document, "nodes">,
  rows: readonly ProgressRow[],
  hasHandles: HasHandles,
): Readonly<Record<string, Pin>> {
  const pins: [string, Pin][] = [];
  for (const row of rows) {
    const node = own(nodes, row.name);
    if (node === undefined || row.error?.code === ABANDONED || isDecision(row)) continue;
    const pin =
      row.error === undefined
        ? journaledOutcome(node, row, hasHandles)
        : { error: failureOf(row.error) };
    pins.push([row.name, pin]);
  }
  return Object.fromEntries(pins);
}

/** Whether the row journals no outcome. */
export const isDecision = ({ kind }: ProgressRow): boolean => kind === "decision";
