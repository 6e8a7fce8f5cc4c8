/** Two versions on one canvas: the nodes and edges of both, marked by how they differ. */
import { diffDocuments, type Document } from "@oxbow/declared/check";
import type { Mark, Marks } from "../canvas/marks.ts";
import { edgeId, edgesOf } from "../document/edits.ts";

export interface Difference {
  /** The newer document with what it removed. */
  readonly document: Document;
  readonly marks: Marks;
}

export function differenceOf(from: Document, to: Document): Difference {
  const nodes = new Map<string, Mark>();
  const edges = new Map<string, Mark>();
  for (const { node } of diffDocuments(from, to)) {
    if (node === undefined) continue;
    const isAdded = from.nodes[node] === undefined;
    nodes.set(node, isAdded ? "added" : to.nodes[node] === undefined ? "removed" : "changed");
  }
  const [old, current] = [edgesOf(from), edgesOf(to)];
  const before = new Set(old.map(edgeId));
  const after = new Set(current.map(edgeId));
  for (const id of after) if (!before.has(id)) edges.set(id, "added");
  for (const id of before) if (!after.has(id)) edges.set(id, "removed");
  return {
    document: {
      ...to,
      nodes: { ...from.nodes, ...to.nodes },
      edges: [...current, ...old.filter((edge) => !after.has(edgeId(edge)))],
    },
    marks: { nodes, edges },
  };
}
