/** What React Flow draws, made of a drawing. Elements that didn't change stay the same objects, so that they aren't drawn again. */
import { type Edge, type Node, Position as Side } from "@xyflow/react";
import { type Document, type Edge as DocumentEdge, handleOf } from "@oxbow/declared/check";
import { isLoop } from "../catalog/loops.ts";
import type { EditorCatalog } from "../catalog/editor-catalog.ts";
import { grouped } from "../data/grouped.ts";
import { type Drawing, edgeId, edgesOf, type Position } from "../document/edits.ts";
import { nodesInOrder } from "../document/order.ts";
import {
  NODE_WIDTH,
  ROW_HEIGHT,
  type Size,
  sizeOfCard,
  sizeOfLoop,
  withPlaces,
} from "../document/placement.ts";

export type FlowNode = Node<Record<string, never>, "card" | "loop">;
export type FlowEdge = Edge<Record<string, never>, "line">;

/** Where the first row of handles is on a card, from its top. */
const FIRST_ROW = 62;
/** Where edges come in, and leave by the only handle. */
export const MIDDLE = 31;
const HANDLE = { width: 12, height: 12 };

/** Handles that are listed on a card: unless `out` is the only one, and `error` where an edge leaves by it. */
export function listedHandles(
  handles: readonly string[],
  isErrorListed: boolean,
): readonly string[] {
  const listed = handles.length === 1 && handles[0] === "out" ? [] : handles;
  return isErrorListed ? [...listed, "error"] : listed;
}

/** Nodes that an edge leaves by the handle `error`. */
const WITH_ERROR_EDGES = new WeakMap<Document, ReadonlySet<string>>();

/** Whether an edge leaves a node by its handle `error`. */
export function hasErrorEdge(document: Document, id: string): boolean {
  const known = WITH_ERROR_EDGES.get(document);
  if (known !== undefined) return known.has(id);
  const edges = edgesOf(document).filter((edge) => handleOf(edge) === "error");
  const ids = new Set(edges.map(({ from }) => from));
  WITH_ERROR_EDGES.set(document, ids);
  return ids.has(id);
}

/** Positions of all nodes, and the sizes of their cards. */
export function placesOf(
  { document, positions }: Drawing,
  catalog: EditorCatalog,
): Readonly<Record<string, Position>> {
  return withPlaces(document, positions, (id) => rowsOf(document, id, catalog));
}

/** The number of handles that are listed on a card. */
export function rowsOf(document: Document, id: string, catalog: EditorCatalog): number {
  const node = document.nodes[id];
  return node === undefined
    ? 0
    : listedHandles(catalog.handlesOf(node), hasErrorEdge(document, id)).length;
}

/** @param former - What was drawn before. */
export function flowNodes(
  drawing: Drawing,
  catalog: EditorCatalog,
  selected: readonly string[],
  former: readonly FlowNode[],
): FlowNode[] {
  const { document } = drawing;
  const places = placesOf(drawing, catalog);
  const known = new Map(former.map((node) => [node.id, node]));
  const chosen = new Set(selected);
  const sizes = sizesOf(document, places, catalog);
  // Loops come before their bodies, as React Flow needs it.
  return nodesInOrder(document).flatMap(({ id }) => {
    const node = document.nodes[id];
    if (node === undefined) return [];
    const [x, y] = places[id] ?? [0, 0];
    const size = sizes.get(id) ?? sizeOfCard(0);
    const handles = catalog.handlesOf(node);
    const next: FlowNode = {
      id,
      type: isLoop(node.type) ? "loop" : "card",
      position: { x, y },
      data: {},
      selected: chosen.has(id),
      ...size,
      // Known beforehand, so that what isn't drawn yet counts as well when everything is fitted into view.
      measured: size,
      handles: handlesOnCard(handles, hasErrorEdge(document, id), size),
      ariaLabel: `${node.title ?? catalog.titleOfType(node.type)}, ${id}`,
      ...(node.parent === undefined || document.nodes[node.parent] === undefined
        ? {}
        : { parentId: node.parent }),
    };
    const old = known.get(id);
    return [old !== undefined && isSame(old, next) ? old : next];
  });
}

function isSame(old: FlowNode, next: FlowNode): boolean {
  return (
    old.type === next.type &&
    old.position.x === next.position.x &&
    old.position.y === next.position.y &&
    old.selected === next.selected &&
    old.parentId === next.parentId &&
    old.width === next.width &&
    old.height === next.height &&
    old.ariaLabel === next.ariaLabel &&
    old.handles?.map(({ id }) => id).join() === next.handles?.map(({ id }) => id).join()
  );
}

function sizesOf(
  document: Document,
  places: Readonly<Record<string, Position>>,
  catalog: EditorCatalog,
): ReadonlyMap<string, Size> {
  const sizes = new Map<string, Size>();
  const bodies = grouped(Object.entries(document.nodes).map(([id, { parent }]) => [parent, id]));
  // Bodies before the loops around them.
  for (const { id } of nodesInOrder(document).toReversed()) {
    const node = document.nodes[id];
    if (node === undefined) continue;
    const body = (bodies.get(id) ?? []).map(
      (each) => [places[each] ?? [0, 0], sizes.get(each) ?? sizeOfCard(0)] as const,
    );
    const size = isLoop(node.type) ? sizeOfLoop(body) : sizeOfCard(rowsOf(document, id, catalog));
    sizes.set(id, size);
  }
  return sizes;
}

/** The places of handles, so that edges of cards that aren't drawn know where they end. */
function handlesOnCard(
  handles: readonly string[],
  isErrorListed: boolean,
  size: Size,
): NonNullable<FlowNode["handles"]> {
  const rows = listedHandles(handles, isErrorListed);
  const isOutAlone = handles.length === 1 && handles[0] === "out";
  const right = size.width - HANDLE.width / 2;
  const onRight = (id: string, y: number): NonNullable<FlowNode["handles"]>[number] => ({
    id,
    type: "source",
    position: Side.Right,
    x: right,
    y: y - HANDLE.height / 2,
    ...HANDLE,
  });
  const sources = [
    ...(isOutAlone ? [onRight("out", MIDDLE)] : []),
    ...rows.map((id, at) => onRight(id, rowMiddle(at))),
  ];
  return [
    {
      id: "in",
      type: "target",
      position: Side.Left,
      x: -HANDLE.width / 2,
      y: MIDDLE - HANDLE.height / 2,
      ...HANDLE,
    },
    ...sources,
    ...(handles.length === 0 || isErrorListed
      ? []
      : [
          {
            id: "error",
            type: "source" as const,
            position: Side.Bottom,
            x: NODE_WIDTH / 2 - HANDLE.width / 2,
            y: size.height - HANDLE.height / 2,
            ...HANDLE,
          },
        ]),
  ];
}

export const rowMiddle = (at: number): number => FIRST_ROW + at * ROW_HEIGHT + ROW_HEIGHT / 2 - 2;

/** Forms of each edge: plain and selected. */
const DRAWN = new WeakMap<DocumentEdge, Map<boolean, FlowEdge>>();

export function flowEdges(document: Document, selected: ReadonlySet<string>): FlowEdge[] {
  const { nodes } = document;
  return edgesOf(document).flatMap((edge): FlowEdge[] => {
    if (nodes[edge.from] === undefined || nodes[edge.to] === undefined) return [];
    const isSelected = selected.has(edgeId(edge));
    const drawn = DRAWN.get(edge) ?? new Map<boolean, FlowEdge>();
    DRAWN.set(edge, drawn);
    const flowEdge = drawn.get(isSelected) ?? flowEdgeOf(edge, isSelected);
    drawn.set(isSelected, flowEdge);
    return [flowEdge];
  });
}

function flowEdgeOf(edge: DocumentEdge, selected: boolean): FlowEdge {
  const { from, to } = edge;
  const on = handleOf(edge);
  return {
    id: edgeId(edge),
    type: "line",
    source: from,
    sourceHandle: on,
    target: to,
    targetHandle: "in",
    selected,
    ariaLabel: `From ${from} by ${on} to ${to}`,
  };
}
