import { type Document, type Edge, handleOf } from "./document.ts";
import { isObject, type Json, jsonEquals, own, present } from "./json.ts";
import { childPointer } from "./pointer.ts";
import { nodeAt } from "./problem.ts";

/** A difference between two documents. */
export interface DocumentChange {
  readonly kind: "added" | "removed" | "changed";
  /** Id of the node that differs, if the change belongs to one. */
  readonly node?: string;
  /** Where it is, as a JSON Pointer: in the old document if removed, else in the new one. */
  readonly pointer: string;
  /** The old value. Absent if added. */
  readonly from?: Json;
  /** The new value. Absent if removed. */
  readonly to?: Json;
}

/**
 * Lists the differences of two documents: nodes by their ids, members at their greatest depth, lists whole, edges by
 * their ends and handle, so that their order doesn't count. In the order of pointers, edges last.
 */
export function diffDocuments(from: Document, to: Document): DocumentChange[] {
  const changes: DocumentChange[] = [];
  const { edges: oldEdges = [], ...old } = from;
  const { edges: newEdges = [], ...current } = to;
  compare(old, current, "", changes);
  compareEdges(oldEdges, newEdges, changes);
  return changes;
}

function compare(from: unknown, to: unknown, pointer: string, changes: DocumentChange[]): void {
  if (jsonEquals(from, to)) return;
  if (isObject(from) && isObject(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    for (const name of [...names].toSorted()) {
      compare(own(from, name), own(to, name), childPointer(pointer, name), changes);
    }
    return;
  }
  changes.push(changeOf(from as Json | undefined, to as Json | undefined, pointer));
}

function changeOf(from: Json | undefined, to: Json | undefined, pointer: string): DocumentChange {
  const kind = from === undefined ? "added" : to === undefined ? "removed" : "changed";
  return { kind, pointer, ...present({ node: nodeAt(pointer), from, to }) };
}

function compareEdges(from: readonly Edge[], to: readonly Edge[], changes: DocumentChange[]): void {
  const before = new Set(from.map(keyOf));
  const after = new Set(to.map(keyOf));
  for (const [at, edge] of from.entries()) {
    if (after.has(keyOf(edge))) continue;
    changes.push({ kind: "removed", pointer: `/edges/${at}`, from: { ...edge } });
  }
  for (const [at, edge] of to.entries()) {
    if (before.has(keyOf(edge))) continue;
    changes.push({ kind: "added", pointer: `/edges/${at}`, to: { ...edge } });
  }
}

const keyOf = (edge: Edge): string => `${edge.from} ${handleOf(edge)} ${edge.to}`;
