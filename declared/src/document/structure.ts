/**
 * Finds what keeps the nodes and edges of a document from being a graph: ends of edges that don't exist, cycles, parents
 * that are no loops, edges across the border of a loop, and joins that want more edges than they have.
 */
import { type Document, type Edge, handleOf, type Node } from "./document.ts";
import { childPointer } from "./pointer.ts";
import { errorAt, type Problem } from "./problem.ts";
import { own } from "./json.ts";

/** Levels of loops; more need a separate workflow. */
const DEEPEST_LOOP = 2;

/** Types of nodes that contain others. */
const LOOP = /^(?:for_each|repeat)@/;

export function structureProblems(document: Document): Problem[] {
  const problems = Object.entries(document.nodes).flatMap(([id, node]) => [
    ...parentProblems(document, id, node),
    ...joinProblems(document, id, node),
  ]);
  const edges = document.edges ?? [];
  problems.push(
    ...edges.flatMap((edge, at) => edgeProblems(document, edge, at)),
    ...emptyLoops(document),
  );
  // Edges with wrong ends would hide a cycle, or look like one.
  return problems.length > 0 ? problems : cycleProblems(document);
}

function parentProblems({ nodes }: Document, id: string, { parent }: Node): Problem[] {
  if (parent === undefined) return [];
  const pointer = `/nodes/${id}/parent`;
  const loop = own(nodes, parent);
  if (loop === undefined) {
    const message = `the parent "${parent}" of node "${id}" doesn't exist`;
    return [errorAt(pointer, "UNKNOWN_NODE", message, "Name a loop, or remove the parent.")];
  }
  if (!LOOP.test(loop.type)) {
    const message = `the parent "${parent}" of node "${id}" is of type ${loop.type}, which is no loop`;
    return [errorAt(pointer, "NOT_A_LOOP", message, "Name a node of type for_each or repeat.")];
  }
  const depth = depthOf(nodes, id);
  if (depth === Number.POSITIVE_INFINITY) {
    const message = `node "${id}" is inside itself`;
    return [errorAt(pointer, "CYCLE", message, "Remove one of the parents.")];
  }
  // Only the loop that is one too deep is reported, not each node in it.
  if (depth !== DEEPEST_LOOP || !LOOP.test(nodes[id]?.type ?? "")) return [];
  const message = `loop "${id}" is nested more than ${DEEPEST_LOOP} levels deep`;
  return [errorAt(pointer, "TOO_DEEP", message, "Move the inner loop into a separate workflow.")];
}

function depthOf(nodes: Document["nodes"], id: string): number {
  const passed = new Set<string>();
  let current: string | undefined = id;
  while (current !== undefined) {
    if (passed.has(current)) return Number.POSITIVE_INFINITY;
    passed.add(current);
    current = Object.hasOwn(nodes, current) ? nodes[current]?.parent : undefined;
  }
  return passed.size - 1;
}

function joinProblems({ edges = [] }: Document, id: string, { join }: Node): Problem[] {
  if (typeof join !== "object") return [];
  const incoming = edges.filter(({ to }) => to === id).length;
  if (join.count <= incoming) return [];
  return [
    errorAt(
      `/nodes/${id}/join/count`,
      "UNREACHABLE_COUNT",
      `node "${id}" waits for ${join.count} edges, and has ${incoming}`,
      `Lower the count to ${Math.max(1, incoming)} at most, or draw more edges to it.`,
    ),
  ];
}

function edgeProblems({ nodes }: Document, edge: Edge, at: number): Problem[] {
  const pointer = `/edges/${at}`;
  const missing = (["from", "to"] as const).filter((end) => !Object.hasOwn(nodes, edge[end]));
  if (missing.length > 0) {
    return missing.map((end) => {
      const message = `node "${edge[end]}" doesn't exist`;
      return errorAt(childPointer(pointer, end), "UNKNOWN_NODE", message, "Remove the edge.");
    });
  }
  if (nodes[edge.from]?.parent === nodes[edge.to]?.parent) return [];
  return [
    errorAt(
      pointer,
      "EDGE_CROSSES_LOOP",
      `the edge from "${edge.from}" to "${edge.to}" crosses the border of a loop`,
      "Draw it from or to the loop itself: what is inside begins and ends with an iteration.",
    ),
  ];
}

function emptyLoops({ nodes }: Document): Problem[] {
  const parents = new Set(Object.values(nodes).map(({ parent }) => parent));
  return Object.entries(nodes).flatMap(([id, { type }]) =>
    LOOP.test(type) && !parents.has(id)
      ? [
          errorAt(
            `/nodes/${id}`,
            "EMPTY_LOOP",
            `loop "${id}" contains no node`,
            `Give the nodes that it repeats the parent "${id}".`,
          ),
        ]
      : [],
  );
}

/** One problem for the first cycle, at its edge that is last in the list. */
function cycleProblems({ nodes, edges = [] }: Document): Problem[] {
  const cycle = findCycle(Object.keys(nodes), edges);
  if (cycle === undefined) return [];
  const [first = ""] = cycle;
  const way = [...cycle, first].map((id) => `"${id}"`).join(" → ");
  const inCycle = edges.findLastIndex(
    ({ from, to }) =>
      cycle.includes(from) && cycle[(cycle.indexOf(from) + 1) % cycle.length] === to,
  );
  const edge = edges[inCycle];
  const advice =
    edge === undefined
      ? "Remove an edge."
      : `Remove the edge from "${edge.from}" (${handleOf(edge)}).`;
  return [
    errorAt(
      `/edges/${inCycle}`,
      "CYCLE",
      `the edges form a cycle: ${way}`,
      `${advice} To repeat nodes, put them into a loop of type repeat or for_each.`,
    ),
  ];
}

/** The nodes of a cycle in their order; undefined without a cycle. */
function findCycle(ids: readonly string[], edges: readonly Edge[]): string[] | undefined {
  const targets = new Map(ids.map((id): [string, string[]] => [id, []]));
  for (const { from, to } of edges) targets.get(from)?.push(to);
  const done = new Set<string>();
  for (const start of ids) {
    if (done.has(start)) continue;
    const way = [{ id: start, next: 0 }];
    const open = new Set([start]);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const target = targets.get(top.id)?.[top.next];
      top.next += 1;
      if (target === undefined) {
        done.add(top.id);
        open.delete(top.id);
        way.pop();
      } else if (open.has(target)) {
        return way.slice(way.findIndex(({ id }) => id === target)).map(({ id }) => id);
      } else if (!done.has(target)) {
        open.add(target);
        way.push({ id: target, next: 0 });
      }
    }
  }
  return undefined;
}
