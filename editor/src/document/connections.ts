/** Which nodes may be connected, and why others may not. */
import { type Document, handleOf } from "@oxbow/declared/check";
import { grouped } from "../data/grouped.ts";
import { edgesOf, edgeTo, isSameEdge } from "./edits.ts";

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
  const exists = edgesOf(document).some((edge) => isSameEdge(edge, edgeTo({ from, on }, to)));
  if (exists) return `${left} already leads to ${right}.`;
  if (stepsBefore(document, from).has(to)) {
    return `${right} already leads to ${left}, so this connection would run in a circle. For repetition, use a loop.`;
  }
  return undefined;
}

/** The steps to which a way out of a step may lead, in the order of the document. */
export function targetsOf(document: Document, from: string, on: string): readonly string[] {
  const source = document.nodes[from];
  if (source === undefined) return [];
  const before = stepsBefore(document, from);
  const known = new Set(
    edgesOf(document).flatMap((edge) =>
      edge.from === from && handleOf(edge) === on ? [edge.to] : [],
    ),
  );
  return Object.entries(document.nodes).flatMap(([to, { parent }]) =>
    parent === source.parent && !before.has(to) && !known.has(to) ? [to] : [],
  );
}

/** A step and all steps that lead to it. */
function stepsBefore(document: Document, id: string): ReadonlySet<string> {
  const sources = grouped(edgesOf(document).map(({ from, to }) => [to, from]));
  const before = new Set<string>();
  const waiting = [id];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (before.has(each)) continue;
    before.add(each);
    waiting.push(...(sources.get(each) ?? []));
  }
  return before;
}

/** The title of a node, or its id. */
export const titleOf = (document: Document, id: string): string => document.nodes[id]?.title ?? id;
