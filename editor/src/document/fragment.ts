/** Nodes on the clipboard: copied from one definition and pasted into another. */
import type { Edge, Json, Layout, Node } from "@oxbow/declared/check";
import { type Drawing, edgesOf, freeId, withBodies, withRenamedReads } from "./edits.ts";

export interface Fragment {
  readonly oxbow: "nodes";
  readonly nodes: Readonly<Record<string, Node>>;
  readonly edges: readonly Edge[];
  readonly positions: Layout["nodes"];
}

const PASTE_OFFSET = 48;

/** Copies nodes, the bodies of loops among them, and the edges between them. */
export function copyNodes({ document, positions }: Drawing, ids: readonly string[]): Fragment {
  const all = withBodies(document, ids);
  const only = <Value>(map: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(map).filter(([id]) => all.has(id)));
  return {
    oxbow: "nodes",
    nodes: only(document.nodes),
    edges: edgesOf(document).filter(({ from, to }) => all.has(from) && all.has(to)),
    positions: only(positions),
  };
}

/** Reads text of the clipboard; undefined if it holds no nodes. */
export function readFragment(text: string): Fragment | undefined {
  try {
    const value = JSON.parse(text) as Partial<Fragment> | null;
    const isFragment =
      value?.oxbow === "nodes" &&
      typeof value.nodes === "object" &&
      Array.isArray(value.edges) &&
      Object.values(value.nodes).every((node) => typeof node?.type === "string");
    return isFragment ? (value as Fragment) : undefined;
  } catch {
    return undefined;
  }
}

/** Adds nodes under free ids; what they read of each other follows. Returns the ids of the pasted nodes. */
export function pasteNodes(
  { document, positions }: Drawing,
  fragment: Fragment,
): { readonly drawing: Drawing; readonly ids: readonly string[] } {
  const ids = new Map<string, string>();
  const taken: Record<string, unknown> = { ...document.nodes };
  for (const [id, { type }] of Object.entries(fragment.nodes)) {
    const free = Object.hasOwn(taken, id) ? freeId(type, taken) : id;
    taken[free] = true;
    ids.set(id, free);
  }
  const idOf = (id: string): string => ids.get(id) ?? id;
  const nodes = Object.entries(fragment.nodes).map(([id, node]): [string, Node] => {
    const { parent, ...renamed } = withRenamedReads(
      node as unknown as Json,
      ids,
    ) as unknown as Node;
    // Outside of the copied nodes, a loop of that name is another one.
    return [
      idOf(id),
      parent === undefined || !ids.has(parent) ? renamed : { ...renamed, parent: idOf(parent) },
    ];
  });
  const edges = fragment.edges
    .filter(({ from, to }) => ids.has(from) && ids.has(to))
    .map((edge) => ({ ...edge, from: idOf(edge.from), to: idOf(edge.to) }));
  const placed = Object.entries(fragment.positions).map(
    ([id, [x, y]]) => [idOf(id), [x + PASTE_OFFSET, y + PASTE_OFFSET]] as const,
  );
  return {
    drawing: {
      document: {
        ...document,
        nodes: { ...document.nodes, ...Object.fromEntries(nodes) },
        edges: [...edgesOf(document), ...edges],
      },
      positions: { ...positions, ...Object.fromEntries(placed) },
    },
    ids: [...ids.values()],
  };
}
