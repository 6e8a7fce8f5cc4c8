/**
 * The merge of two drafts that were made from the same one: what only one side changed is taken from it. A node, an edge
 * and each other member of the document are the parts; a part that both sides changed differently is a conflict.
 */
import { type Document, type Edge, type Json, jsonEquals, type Node } from "@oxbow/declared/check";
import { edgeId, edgesOf } from "./edits.ts";

/** A part that both sides changed: a node by its id, or another member such as `title`. */
export interface Conflict {
  readonly kind: "node" | "trigger" | "member";
  readonly name: string;
  /** Undefined where the part was removed. */
  readonly mine: Json | undefined;
  readonly theirs: Json | undefined;
}

export type Side = "mine" | "theirs";

export interface Merge {
  readonly conflicts: readonly Conflict[];
  /** The merged document, for a choice of each conflict by `keyOf`. */
  readonly resolve: (choice: (conflict: Conflict) => Side) => Document;
}

type Parts = Readonly<Record<string, unknown>>;

export function mergeDrafts(base: Document, mine: Document, theirs: Document): Merge {
  const conflicts: Conflict[] = [];
  const chosen: ((choice: (conflict: Conflict) => Side) => void)[] = [];
  const merged = (kind: Conflict["kind"], old: Parts, left: Parts, right: Parts): Parts => {
    const result: Record<string, unknown> = {};
    // In their order, then what is new of ours.
    for (const name of new Set([...Object.keys(right), ...Object.keys(left)])) {
      const [was, ours, other] = [old[name], left[name], right[name]];
      const put = (value: unknown): void => {
        if (value !== undefined) result[name] = value;
      };
      if (jsonEquals(ours, other) || jsonEquals(was, ours)) put(other);
      else if (jsonEquals(was, other)) put(ours);
      else {
        const conflict: Conflict = {
          kind,
          name,
          mine: ours as Json | undefined,
          theirs: other as Json | undefined,
        };
        conflicts.push(conflict);
        // Keeps the place, whatever is chosen.
        result[name] = other;
        chosen.push((choice) => {
          const value = choice(conflict) === "mine" ? ours : other;
          if (value === undefined) delete result[name];
          else result[name] = value;
        });
      }
    }
    return result;
  };
  const members = merged("member", membersOf(base), membersOf(mine), membersOf(theirs));
  const nodes = merged("node", base.nodes, mine.nodes, theirs.nodes);
  const triggers = merged(
    "trigger",
    base.triggers ?? {},
    mine.triggers ?? {},
    theirs.triggers ?? {},
  );
  const edges = mergedEdges(edgesOf(base), edgesOf(mine), edgesOf(theirs));
  return {
    conflicts,
    resolve: (choice) => {
      for (const choose of chosen) choose(choice);
      const remaining = { ...nodes } as Record<string, Node>;
      return {
        ...members,
        ...(Object.keys(triggers).length === 0 ? {} : { triggers }),
        nodes: remaining,
        edges: edges.filter(({ from, to }) => from in remaining && to in remaining),
      } as unknown as Document;
    },
  };
}

function membersOf({
  nodes: _nodes,
  edges: _edges,
  triggers: _triggers,
  ...rest
}: Document): Parts {
  return rest;
}

/** Edges are there or not, so that no two changes of them contradict each other. */
function mergedEdges(
  base: readonly Edge[],
  mine: readonly Edge[],
  theirs: readonly Edge[],
): readonly Edge[] {
  const old = new Set(base.map(edgeId));
  const ours = new Set(mine.map(edgeId));
  const others = new Set(theirs.map(edgeId));
  return [
    ...theirs.filter((edge) => !old.has(edgeId(edge)) || ours.has(edgeId(edge))),
    ...mine.filter((edge) => !old.has(edgeId(edge)) && !others.has(edgeId(edge))),
  ];
}
