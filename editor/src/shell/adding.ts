/** Adding a step: where it goes, and which other steps then lead to it. */
import { createContext, useContext } from "react";
import { handleOf, type Node } from "@oxbow/declared/check";
import { placesOf } from "../canvas/flow-elements.ts";
import { isLoop } from "../catalog/loops.ts";
import {
  addNode,
  edgeId,
  edgesOf,
  freeId,
  insertOnEdge,
  type NewNode,
  type Position,
} from "../document/edits.ts";
import { nodesInOrder } from "../document/order.ts";
import { BODY_START, NODE_WIDTH } from "../document/placement.ts";
import type { EditorStore } from "../state/editor-store.ts";

/** Where a step is added. */
export type Destination =
  /** After the selected step, or after the last one. */
  | { readonly kind: "end" }
  | {
      readonly kind: "after";
      readonly from: string;
      readonly on: string;
      readonly position?: Position;
    }
  | { readonly kind: "on"; readonly edgeId: string }
  | { readonly kind: "at"; readonly position: Position; readonly parent?: string }
  /** First in the body of a loop. */
  | { readonly kind: "inside"; readonly loop: string };

export interface Adding {
  /** Lets the user choose a node type. */
  readonly ask: (destination: Destination) => void;
  /** Adds a node of a type. */
  readonly add: (type: string, destination: Destination) => void;
}

export const AddingContext = createContext<Adding>({
  ask: () => undefined,
  add: () => undefined,
});

export const useAdding = (): Adding => useContext(AddingContext);

const STEP_ALONG = NODE_WIDTH + 72;
const STEP_ACROSS = 120;

/** Adds a node of a type, and selects it. */
export function addStep(store: EditorStore, type: string, destination: Destination): void {
  const { document } = store;
  const id = freeId(type, document.nodes);
  const node: Node = { type };
  const resolved = destination.kind === "end" ? lastPlace(store) : destination;
  const places = placesOf(store.state.drawing, store.catalog);
  const select = [id];
  const add = (added: NewNode): void =>
    store.change((drawing) => addNode({ ...drawing, positions: places }, added), { select });
  switch (resolved?.kind) {
    case undefined:
      add({ id, node, position: [0, 0] });
      break;
    case "after": {
      const { from, on } = resolved;
      const parent = document.nodes[from]?.parent;
      const position = resolved.position ?? beside(places, from);
      add({ id, node: within(node, parent), position, after: { from, on } });
      break;
    }
    case "on": {
      const edge = edgesOf(document).find((each) => edgeId(each) === resolved.edgeId);
      if (edge === undefined) return;
      const [handle] = store.catalog.handlesOf(node);
      const parent = document.nodes[edge.from]?.parent;
      const [x, y] = places[edge.to] ?? [0, 0];
      // The steps after it make room.
      const later = following(store, edge.to);
      const moved = Object.fromEntries(
        Object.entries(places).map(([each, [left, top]]): [string, Position] => [
          each,
          later.has(each) && left >= x ? [left + STEP_ALONG, top] : [left, top],
        ]),
      );
      const added = { id, node: within(node, parent), position: [x, y] as const };
      store.change(
        (drawing) => insertOnEdge({ ...drawing, positions: moved }, edge, added, handle),
        { select },
      );
      break;
    }
    case "at":
      add({ id, node: within(node, resolved.parent), position: resolved.position });
      break;
    case "inside":
      add({ id, node: within(node, resolved.loop), position: BODY_START });
      break;
    default:
      resolved satisfies never;
  }
}

const within = (node: Node, parent: string | undefined): Node =>
  parent === undefined ? node : { ...node, parent };

/** After the selected step, or after the last one by the first of its handles that leads nowhere. */
function lastPlace(store: EditorStore): Exclude<Destination, { readonly kind: "end" }> | undefined {
  const { document } = store;
  const [selected] = store.state.selected;
  const last = nodesInOrder(document).findLast(({ depth }) => depth === 0)?.id;
  const from = selected ?? last;
  const node = from === undefined ? undefined : document.nodes[from];
  if (from === undefined || node === undefined) return undefined;
  const isEmptyLoop =
    selected !== undefined &&
    isLoop(node.type) &&
    Object.values(document.nodes).every(({ parent }) => parent !== from);
  if (isEmptyLoop) return { kind: "inside", loop: from };
  const handles = store.catalog.handlesOf(node);
  const used = new Set(
    edgesOf(document).flatMap((edge) => (edge.from === from ? [handleOf(edge)] : [])),
  );
  const on = handles.find((handle) => !used.has(handle)) ?? handles[0];
  if (on !== undefined) return { kind: "after", from, on };
  const [x, y] = placesOf(store.state.drawing, store.catalog)[from] ?? [0, 0];
  const { parent } = node;
  const position: Position = [x, y + STEP_ACROSS];
  return { kind: "at", position, ...(parent === undefined ? {} : { parent }) };
}

/** To the right of a node, below other nodes. */
function beside(places: Readonly<Record<string, Position>>, from: string): Position {
  const [x, y] = places[from] ?? [0, 0];
  const taken = Object.values(places);
  const place: [number, number] = [x + STEP_ALONG, y];
  while (
    taken.some(([left, top]) => Math.abs(left - place[0]) < 200 && Math.abs(top - place[1]) < 90)
  ) {
    place[1] += STEP_ACROSS;
  }
  return place;
}

/** A node and those after it. */
function following({ document }: EditorStore, start: string): ReadonlySet<string> {
  const all = new Set<string>();
  const waiting = [start];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (all.has(id)) continue;
    all.add(id);
    for (const { from, to } of edgesOf(document)) if (from === id) waiting.push(to);
  }
  return all;
}
