/** The nodes of a document in the order in which they run, as lists and screen readers have it. */
import type { Document } from "@oxbow/declared/check";
import { edgesOf } from "./edits.ts";

export interface ListedNode {
  readonly id: string;
  /** 0 outside of loops. */
  readonly depth: number;
}

/** Nodes after those that lead to them; the body of a loop after it. */
export function nodesInOrder(document: Document): readonly ListedNode[] {
  const bodies = new Map<string | undefined, string[]>();
  for (const [id, { parent }] of Object.entries(document.nodes)) {
    const known = parent !== undefined && Object.hasOwn(document.nodes, parent);
    const key = known ? parent : undefined;
    const body = bodies.get(key);
    if (body === undefined) bodies.set(key, [id]);
    else body.push(id);
  }
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
  const open = new Map(ids.map((id) => [id, 0]));
  const next = new Map<string, string[]>();
  for (const { from, to } of edgesOf(document)) {
    if (!level.has(from) || !level.has(to)) continue;
    open.set(to, (open.get(to) ?? 0) + 1);
    const targets = next.get(from);
    if (targets === undefined) next.set(from, [to]);
    else targets.push(to);
  }
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
