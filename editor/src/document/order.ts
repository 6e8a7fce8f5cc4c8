/** The nodes of a document in the order in which they run, as lists and screen readers have it. */
import type { Document } from "@oxbow/declared/check";
import { grouped } from "../data/grouped.ts";
import { edgesOf } from "./edits.ts";

export interface ListedNode {
  readonly id: string;
  /** 0 outside of loops. */
  readonly depth: number;
}

/** Nodes after those that lead to them; the body of a loop after it. */
export function nodesInOrder(document: Document): readonly ListedNode[] {
  const bodies = grouped(
    Object.entries(document.nodes).map(([id, { parent }]) => {
      const isKnown = parent !== undefined && Object.hasOwn(document.nodes, parent);
      return [isKnown ? parent : undefined, id];
    }),
  );
  const listed: ListedNode[] = [];
  const list = (parent: string | undefined, depth: number): void => {
    for (const id of sorted(document, bodies.get(parent) ?? [])) {
      listed.push({ id, depth });
      if (bodies.has(id)) list(id, depth + 1);
    }
  };
  list(undefined, 0);
  return listed;
}

/** Depth first, so that a branch is listed whole before the next; what waits for several follows the last of them. */
function sorted(document: Document, ids: readonly string[]): readonly string[] {
  const level = new Set(ids);
  const edges = edgesOf(document).filter(({ from, to }) => level.has(from) && level.has(to));
  const next = grouped(edges.map(({ from, to }) => [from, to]));
  const open = new Map(ids.map((id) => [id, 0]));
  for (const { to } of edges) open.set(to, (open.get(to) ?? 0) + 1);
  const result: string[] = [];
  const waiting = ids.filter((id) => open.get(id) === 0).toReversed();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    result.push(id);
    for (const to of (next.get(id) ?? []).toReversed()) {
      const left = (open.get(to) ?? 1) - 1;
      open.set(to, left);
      if (left === 0) waiting.push(to);
    }
  }
  // Whatever is in a circle.
  return [...result, ...ids.filter((id) => (open.get(id) ?? 0) > 0)];
}
