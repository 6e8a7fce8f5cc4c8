/** Which nodes may be connected, and why others may not. */
import { type Document, handleOf } from "@oxbow/declared/check";
import { edgesOf } from "./edits.ts";

export interface Connection {
  readonly from: string;
  readonly on: string;
  readonly to: string;
}

/** Why two nodes can't be connected; undefined if they can. */
export function obstacleTo(document: Document, { from, on, to }: Connection): string | undefined {
  const { nodes } = document;
  const [source, target] = [nodes[from], nodes[to]];
  if (source === undefined || target === undefined) return "One of the steps is gone.";
  const [left, right] = [titleOf(document, from), titleOf(document, to)];
  if (from === to) return `${left} can't lead to itself. For repetition, use a loop.`;
  if (source.parent !== target.parent) {
    return `${left} and ${right} aren't in the same loop. Connect steps of one loop, or the loop itself.`;
  }
  const exists = edgesOf(document).some(
    (edge) => edge.from === from && edge.to === to && handleOf(edge) === on,
  );
  if (exists) return `${left} already leads to ${right}.`;
  if (isReachable(document, to, from)) {
    return `${right} already leads to ${left}, so this connection would run in a circle. For repetition, use a loop.`;
  }
  return undefined;
}

function isReachable(document: Document, start: string, goal: string): boolean {
  const next = new Map<string, string[]>();
  for (const { from, to } of edgesOf(document)) next.set(from, [...(next.get(from) ?? []), to]);
  const seen = new Set<string>();
  const waiting = [start];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === goal) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    waiting.push(...(next.get(id) ?? []));
  }
  return false;
}

/** The title of a node, or its id. */
export const titleOf = (document: Document, id: string): string => document.nodes[id]?.title ?? id;
