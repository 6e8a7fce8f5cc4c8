/** The changes of a document: pure functions from one to the next. */
import {
  type Document,
  type Edge,
  handleOf,
  type Json,
  type JsonObject,
  type Layout,
  type Node,
} from "@oxbow/declared/check";

/** What the editor changes as a whole: undo returns to an earlier one. */
export interface Drawing {
  readonly document: Document;
  readonly positions: Layout["nodes"];
}

export type Position = readonly [x: number, y: number];

export const edgesOf = ({ edges = [] }: Document): readonly Edge[] => edges;

/** The same for edges that connect the same nodes by the same handle, of which a document has one. */
export const edgeId = (edge: Edge): string => `${edge.from} ${handleOf(edge)} ${edge.to}`;

export const isSameEdge = (a: Edge, b: Edge): boolean => edgeId(a) === edgeId(b);

/** An id that no node has, made of the name of a node type. */
export function freeId(type: string, taken: Readonly<Record<string, unknown>>): string {
  const words = /^([^@]*)/.exec(type)?.[1]?.split(".") ?? [];
  const stem = (words.at(-1) ?? "node").replaceAll(/[^a-z0-9_]/g, "_").slice(0, 28);
  const base = /^[a-z]/.test(stem) ? stem : `node_${stem}`;
  if (!Object.hasOwn(taken, base)) return base;
  let n = 2;
  while (Object.hasOwn(taken, `${base}_${n}`)) n += 1;
  return `${base}_${n}`;
}

export interface NewNode {
  readonly id: string;
  readonly node: Node;
  readonly position?: Position;
  /** The edge that leads to it. */
  readonly after?: { readonly from: string; readonly on: string };
}

export function addNode({ document, positions }: Drawing, added: NewNode): Drawing {
  const { id, node, position, after } = added;
  const edges = after === undefined ? edgesOf(document) : [...edgesOf(document), edgeTo(after, id)];
  return {
    document: { ...document, nodes: { ...document.nodes, [id]: node }, edges },
    positions: position === undefined ? positions : { ...positions, [id]: position },
  };
}

/** An edge; the default handle isn't written. */
export const edgeTo = (
  { from, on }: { readonly from: string; readonly on: string },
  to: string,
): Edge => (on === "out" ? { from, to } : { from, on, to });

export function addEdge(document: Document, edge: Edge): Document {
  const edges = edgesOf(document);
  if (edges.some((each) => isSameEdge(each, edge))) return document;
  return { ...document, edges: [...edges, edge] };
}

export function removeEdges(document: Document, removed: readonly Edge[]): Document {
  const edges = edgesOf(document).filter((each) => !removed.some((edge) => isSameEdge(each, edge)));
  return { ...document, edges };
}

/**
 * Puts a node on an edge: it leads to the node, which leads on by `handle`; a node without handles ends there.
 */
export function insertOnEdge(
  drawing: Drawing,
  edge: Edge,
  added: Omit<NewNode, "after">,
  handle: string | undefined,
): Drawing {
  const { document, positions } = addNode(drawing, added);
  const edges = edgesOf(document).flatMap((each) => {
    if (!isSameEdge(each, edge)) return [each];
    const first = edgeTo({ from: edge.from, on: handleOf(edge) }, added.id);
    return handle === undefined
      ? [first]
      : [first, edgeTo({ from: added.id, on: handle }, edge.to)];
  });
  return { document: { ...document, edges }, positions };
}

/** Ids and everything inside the loops among them. */
export function withBodies(document: Document, ids: Iterable<string>): ReadonlySet<string> {
  const all = new Set(ids);
  // Loops are nested at most twice, so that few rounds find everything.
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const [id, { parent }] of Object.entries(document.nodes)) {
      if (parent !== undefined && all.has(parent)) all.add(id);
    }
  }
  return all;
}

/**
 * Removes nodes with their edges and bodies. A node that had one way in and one way out leaves its neighbours connected.
 */
export function removeNodes(
  { document, positions }: Drawing,
  ids: readonly string[],
  isBridged = true,
): Drawing {
  const gone = withBodies(document, ids);
  const old = edgesOf(document);
  const bridge = isBridged ? bridgeOver(old, gone) : undefined;
  const kept = old.filter(({ from, to }) => !gone.has(from) && !gone.has(to));
  const edges =
    bridge === undefined || kept.some((each) => isSameEdge(each, bridge))
      ? kept
      : [...kept, bridge];
  const remains = <Value>(map: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(map).filter(([id]) => !gone.has(id)));
  return {
    document: { ...document, nodes: remains(document.nodes), edges },
    positions: remains(positions),
  };
}

/** The edge that replaces the removed nodes, if exactly one edge led in and one out, and the former led to the latter. */
function bridgeOver(edges: readonly Edge[], gone: ReadonlySet<string>): Edge | undefined {
  const into = edges.filter(({ from, to }) => !gone.has(from) && gone.has(to));
  const out = edges.filter(({ from, to }) => gone.has(from) && !gone.has(to));
  const [first] = into;
  const [last] = out;
  if (first === undefined || last === undefined || into.length > 1 || out.length > 1) {
    return undefined;
  }
  const within = edges.filter(({ from, to }) => gone.has(from) && gone.has(to));
  const reached = new Set([first.to]);
  for (const id of reached) {
    for (const { from, to } of within) if (from === id) reached.add(to);
  }
  if (!reached.has(last.from)) return undefined;
  return edgeTo({ from: first.from, on: handleOf(first) }, last.to);
}

/** A document with a member of a node replaced; undefined removes it. */
export function withNodeMember<Name extends keyof Node>(
  document: Document,
  id: string,
  name: Name,
  value: Node[Name] | undefined,
): Document {
  const node = document.nodes[id];
  if (node === undefined) return document;
  const { [name]: _old, ...others } = node;
  const next = (value === undefined ? others : { ...node, [name]: value }) as Node;
  return { ...document, nodes: { ...document.nodes, [id]: next } };
}

/** Moves a node into a loop, or out of all; its edges that would cross the border are removed. */
export function moveInto(document: Document, id: string, parent: string | undefined): Document {
  const moved = withNodeMember(document, id, "parent", parent);
  const edges = edgesOf(moved).filter(
    ({ from, to }) =>
      (from !== id && to !== id) || moved.nodes[from]?.parent === moved.nodes[to]?.parent,
  );
  return { ...moved, edges };
}

/** Replaces the handle of edges, when a case of a branch gets another id. */
export function renameHandle(document: Document, from: string, old: string, on: string): Document {
  const edges = edgesOf(document).map((edge) =>
    edge.from === from && handleOf(edge) === old ? edgeTo({ from, on }, edge.to) : edge,
  );
  return { ...document, edges };
}

/** Replaces ids in the paths and expressions of a value: `nodes.<id>` and `loops.<id>`. */
export function withRenamedReads(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") {
    return value.replaceAll(
      /\b(nodes|loops)\.([a-z]\w*)/g,
      (all: string, root: string, id: string) => {
        const renamed = ids.get(id);
        return renamed === undefined ? all : `${root}.${renamed}`;
      },
    );
  }
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item) => withRenamedReads(item, ids));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name,
      withRenamedReads(member, ids),
    ]),
  );
}
