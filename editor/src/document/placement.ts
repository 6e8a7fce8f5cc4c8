/** Places nodes that have no position: by layers, from left to right, the bodies of loops inside them. */
import dagre from "@dagrejs/dagre";
import { type Document, type Layout } from "@oxbow/declared/check";
import { edgesOf, type Position } from "./edits.ts";

export const NODE_WIDTH = 232;
export const ROW_HEIGHT = 26;
const HEADER_HEIGHT = 62;
const LOOP_PADDING = 24;
const LOOP_HEADER = 72;
const GAP_ACROSS = 36;
const GAP_ALONG = 56;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of a node that is no loop, by the number of handles that are listed on it. */
export function sizeOfCard(rows: number): Size {
  return { width: NODE_WIDTH, height: HEADER_HEIGHT + rows * ROW_HEIGHT };
}

/** Positions of all nodes: in a loop, relative to it. */
export function placeNodes(
  document: Document,
  rowsOf: (id: string) => number,
): Readonly<Record<string, Position>> {
  const positions: Record<string, Position> = {};
  placeLevel(document, undefined, rowsOf, positions);
  return positions;
}

/** The size of a loop around the nodes of its body. */
export function sizeOfLoop(body: readonly (readonly [position: Position, size: Size])[]): Size {
  const right = Math.max(NODE_WIDTH, ...body.map(([[x], { width }]) => x + width));
  const bottom = Math.max(LOOP_HEADER + 40, ...body.map(([[, y], { height }]) => y + height));
  return { width: right + LOOP_PADDING, height: bottom + LOOP_PADDING };
}

/** Where the first node of a body stands. */
export const BODY_START: Position = [LOOP_PADDING, LOOP_HEADER];

function placeLevel(
  document: Document,
  parent: string | undefined,
  rowsOf: (id: string) => number,
  positions: Record<string, Position>,
): Size {
  const ids = Object.entries(document.nodes).flatMap(([id, node]) =>
    node.parent === parent ? [id] : [],
  );
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: GAP_ACROSS, ranksep: GAP_ALONG, ranker: "tight-tree" });
  graph.setDefaultEdgeLabel(() => ({}));
  const sizes = new Map<string, Size>();
  for (const id of ids) {
    const isLoop = Object.values(document.nodes).some((node) => node.parent === id);
    const size = isLoop ? placeLevel(document, id, rowsOf, positions) : sizeOfCard(rowsOf(id));
    sizes.set(id, size);
    graph.setNode(id, { ...size });
  }
  const level = new Set(ids);
  for (const { from, to } of edgesOf(document)) {
    if (level.has(from) && level.has(to)) graph.setEdge(from, to);
  }
  if (ids.length > 0) dagre.layout(graph);
  const [left, top] = parent === undefined ? [0, 0] : BODY_START;
  const placed = ids.map((id) => {
    const size = sizes.get(id) ?? sizeOfCard(0);
    const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
    const position: Position = [
      Math.round(left + x - size.width / 2),
      Math.round(top + y - size.height / 2),
    ];
    positions[id] = position;
    return [position, size] as const;
  });
  return sizeOfLoop(placed);
}

/** The given positions, and placed ones for the other nodes. */
export function withPlaces(
  document: Document,
  given: Layout["nodes"],
  rowsOf: (id: string) => number,
): Readonly<Record<string, Position>> {
  const ids = Object.keys(document.nodes);
  const known = ids.filter((id) => given[id] !== undefined);
  if (known.length === ids.length) return given;
  const placed = placeNodes(document, rowsOf);
  if (known.length === 0) return placed;
  // Beside a node that has a place: shifted as that one is.
  const result: Record<string, Position> = { ...given };
  for (const id of ids) {
    if (result[id] !== undefined) continue;
    const neighbour = neighbourOf(document, id, result);
    const [x, y] = placed[id] ?? [0, 0];
    const [fromX, fromY] = neighbour === undefined ? [0, 0] : (placed[neighbour] ?? [0, 0]);
    const [atX, atY] = neighbour === undefined ? [0, 0] : (result[neighbour] ?? [0, 0]);
    result[id] = [x - fromX + atX, y - fromY + atY];
  }
  return result;
}

function neighbourOf(
  document: Document,
  id: string,
  placed: Readonly<Record<string, Position>>,
): string | undefined {
  const edge = edgesOf(document).find(
    ({ from, to }) =>
      (to === id && placed[from] !== undefined) || (from === id && placed[to] !== undefined),
  );
  if (edge === undefined) return undefined;
  return edge.to === id ? edge.from : edge.to;
}
