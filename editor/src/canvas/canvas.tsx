/** The canvas: steps and connections that are dragged, drawn and dropped. */
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection as FlowConnection,
  ControlButton,
  Controls,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  type OnConnectEnd,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { type DragEvent, memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../catalog/icon.tsx";
import { obstacleTo } from "../document/connections.ts";
import { addEdge, edgeTo, type Position } from "../document/edits.ts";
import { placeNodes } from "../document/placement.ts";
import { useAdding } from "../shell/adding.ts";
import { useEditor, useStore } from "../state/use-editor.ts";
import { EdgeActionsContext, EdgeLine } from "./edge-line.tsx";
import { type FlowEdge, flowEdges, type FlowNode, flowNodes, rowsOf } from "./flow-elements.ts";
import { CardNode, LoopNode } from "./node-card.tsx";
import { NODE_TYPE_DRAG } from "./palette.tsx";

const NODE_TYPES = { card: CardNode, loop: LoopNode };
const EDGE_TYPES = { line: EdgeLine };
/** From this number on, a map of the whole is worth its place. */
const MANY_NODES = 15;
const FIT = { padding: 0.1, maxZoom: 1 };
/** At first, titles can be read, also where not everything is in view then. */
const FIRST_FIT = { ...FIT, padding: 0.04, minZoom: 0.45 };

export interface CanvasProps {
  readonly selectedEdges: ReadonlySet<string>;
  readonly onSelectEdges: (ids: ReadonlySet<string>) => void;
  /** Whether something below leaves less height. A change fits the steps into what is left. */
  readonly isCut?: boolean;
}

/** Drawn again when its own state changes, and not with each change of a form. */
export const Canvas = memo(function Canvas(props: CanvasProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
});

function Flow({ selectedEdges, onSelectEdges, isCut = false }: CanvasProps): ReactNode {
  const store = useStore();
  const { catalog } = store;
  // Parameters aren't drawn: a large canvas would hold up each key that is typed into them.
  const outline = useEditor((state) => state.outline);
  const positions = useEditor((state) => state.drawing.positions);
  const selected = useEditor((state) => state.selected);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const adding = useAdding();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const root = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(() => ({
    outline,
    positions,
    selected,
    nodes: flowNodes({ document: outline, positions }, catalog, selected, []),
  }));
  if (drawn.outline !== outline || drawn.positions !== positions || drawn.selected !== selected) {
    const drawing = { document: outline, positions };
    const nodes = flowNodes(drawing, catalog, selected, drawn.nodes);
    setDrawn({ outline, positions, selected, nodes });
  }
  const { nodes } = drawn;
  const [target, setTarget] = useState<string>();
  const edges = useMemo(() => flowEdges(outline, selectedEdges), [outline, selectedEdges]);

  useShowSelected(root);
  useFitted(isCut);

  const onNodesChange = (changes: NodeChange<FlowNode>[]): void => {
    setDrawn((current) => ({ ...current, nodes: applyNodeChanges(changes, current.nodes) }));
    const moved: Record<string, Position> = {};
    for (const change of changes) {
      if (change.type !== "position" || change.dragging === true) continue;
      const { id, position } = change;
      if (position !== undefined) moved[id] = [Math.round(position.x), Math.round(position.y)];
    }
    const chosen = withSelections(store.state.selected, changes);
    if (Object.keys(moved).length > 0) move(moved);
    store.select([...chosen]);
  };

  const move = (moved: Readonly<Record<string, Position>>): void => {
    const at = new Map(nodes.map((node) => [node.id, node.position]));
    const isAnywhere = Object.entries(moved).some(([id, [x, y]]) => {
      const [oldX, oldY] = store.state.drawing.positions[id] ?? [at.get(id)?.x, at.get(id)?.y];
      return oldX !== x || oldY !== y;
    });
    if (!isAnywhere) return;
    // All positions, so that what was placed automatically stays where users see it.
    const all = Object.fromEntries(
      nodes.map(({ id, position }): [string, Position] => [id, [position.x, position.y]]),
    );
    store.change((current) => ({
      ...current,
      positions: { ...all, ...current.positions, ...moved },
    }));
  };

  const connect = ({ source, sourceHandle, target: to }: FlowConnection): void => {
    store.changeDocument((document) =>
      addEdge(document, edgeTo({ from: source, on: sourceHandle ?? "out" }, to)),
    );
  };

  const obstacle = (connection: {
    readonly source: string;
    readonly sourceHandle?: string | null | undefined;
    readonly target: string;
  }): string | undefined =>
    obstacleTo(store.document, {
      from: connection.source,
      on: connection.sourceHandle ?? "out",
      to: connection.target,
    });

  const endConnection: OnConnectEnd = (event, state) => {
    const { fromNode, fromHandle, toNode } = state;
    if (fromNode === null || fromHandle === null || state.isValid === true) return;
    if (toNode !== null) {
      const isBackward = fromHandle.type === "target";
      const reason = obstacle({
        source: isBackward ? toNode.id : fromNode.id,
        sourceHandle: isBackward ? "out" : (fromHandle.id ?? null),
        target: isBackward ? fromNode.id : toNode.id,
      });
      store.notify(
        reason ?? "Connect the right side of a step to the left side of another.",
        "refusal",
      );
      return;
    }
    if (fromHandle.type !== "source") return;
    const point = "changedTouches" in event ? event.changedTouches[0] : event;
    if (point === undefined) return;
    const { x, y } = flow.screenToFlowPosition({ x: point.clientX, y: point.clientY });
    adding.ask({
      kind: "after",
      from: fromNode.id,
      on: fromHandle.id ?? "out",
      position: [Math.round(x), Math.round(y - 30)],
    });
  };

  const dragOver = (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes(NODE_TYPE_DRAG)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    setTarget(edgeAt(event.clientX, event.clientY));
  };

  const drop = (event: DragEvent): void => {
    const type = event.dataTransfer.getData(NODE_TYPE_DRAG);
    setTarget(undefined);
    if (type === "") return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const edge = edgeAt(event.clientX, event.clientY);
    if (edge !== undefined) {
      adding.add(type, { kind: "on", edgeId: edge });
      return;
    }
    const loop = nodes.findLast(
      (node) =>
        node.type === "loop" &&
        isWithin(flow.getInternalNode(node.id)?.internals.positionAbsolute, node, x, y),
    );
    const origin =
      loop === undefined ? undefined : flow.getInternalNode(loop.id)?.internals.positionAbsolute;
    adding.add(type, {
      kind: "at",
      position: [Math.round(x - (origin?.x ?? 0) - 40), Math.round(y - (origin?.y ?? 0) - 30)],
      ...(loop === undefined ? {} : { parent: loop.id }),
    });
  };

  const tidy = (): void => {
    const { document } = store;
    const tidied = placeNodes(document, (id) => rowsOf(document, id, catalog));
    store.change((current) => ({ ...current, positions: tidied }));
    requestAnimationFrame(() => void flow.fitView(FIT));
  };

  const actions = useMemo(
    () => ({ insert: (id: string) => adding.ask({ kind: "on", edgeId: id }), target }),
    [adding, target],
  );

  return (
    <div
      className="oxe-canvas"
      ref={root}
      onDragEnter={dragOver}
      onDragOver={dragOver}
      onDragLeave={() => setTarget(undefined)}
      onDrop={drop}
    >
      <EdgeActionsContext value={actions}>
        <ReactFlow<FlowNode, FlowEdge>
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onNodesChange={onNodesChange}
          onEdgesChange={(changes) => onSelectEdges(withSelections(selectedEdges, changes))}
          onConnect={connect}
          isValidConnection={(connection) => obstacle(connection) === undefined}
          onConnectEnd={endConnection}
          onPaneClick={() => root.current?.closest<HTMLElement>(".oxbow-editor")?.focus()}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          onlyRenderVisibleElements
          fitView
          fitViewOptions={FIRST_FIT}
          minZoom={0.08}
          maxZoom={1.75}
          proOptions={{ hideAttribution: true }}
        >
          <Background variant={BackgroundVariant.Dots} gap={20} size={1.4} />
          <Controls showInteractive={false} position="bottom-left">
            {isReadOnly ? null : (
              <ControlButton
                onClick={tidy}
                title="Arrange the steps"
                aria-label="Arrange the steps"
              >
                <Icon name="layout" size={14} />
              </ControlButton>
            )}
          </Controls>
          {nodes.length < MANY_NODES ? null : <MiniMap pannable zoomable position="bottom-right" />}
        </ReactFlow>
      </EdgeActionsContext>
      {nodes.length > 0 ? null : <EmptyCanvas />}
    </div>
  );
}

/** The ids of what is selected after changes. */
function withSelections(
  before: Iterable<string>,
  changes: readonly (NodeChange<FlowNode> | EdgeChange<FlowEdge>)[],
): ReadonlySet<string> {
  const chosen = new Set(before);
  for (const change of changes) {
    if (change.type !== "select") continue;
    if (change.selected) chosen.add(change.id);
    else chosen.delete(change.id);
  }
  return chosen;
}

function EmptyCanvas(): ReactNode {
  const adding = useAdding();
  const isReadOnly = useEditor((state) => state.isReadOnly);
  if (isReadOnly) return null;
  return (
    <div className="oxe-empty-canvas">
      <p className="oxe-empty-title">What should happen first?</p>
      <button type="button" className="oxe-primary" onClick={() => adding.ask({ kind: "end" })}>
        <Icon name="plus" size={16} /> Add a step
      </button>
      <p>Or drag one here from the left.</p>
    </div>
  );
}

function useFitted(isCut: boolean): void {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const wasCut = useRef(isCut);
  useEffect(() => {
    if (wasCut.current === isCut) return undefined;
    wasCut.current = isCut;
    // After React Flow has measured its new height.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => void flow.fitView(FIRST_FIT));
    });
    return () => cancelAnimationFrame(frame);
  }, [flow, isCut]);
}

/** Brings a step into view that was selected elsewhere: in the list, or by a problem. */
function useShowSelected(root: { readonly current: HTMLElement | null }): void {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const only = useEditor(({ selected }) => (selected.length === 1 ? selected[0] : undefined));
  useEffect(() => {
    if (only === undefined || root.current === null) return undefined;
    const frame = requestAnimationFrame(() => {
      const node = flow.getInternalNode(only);
      const canvas = root.current?.getBoundingClientRect();
      if (node === undefined || canvas === undefined || canvas.width === 0) return;
      const { x, y } = flow.flowToScreenPosition(node.internals.positionAbsolute);
      const isVisible =
        x > canvas.left && x < canvas.right - 100 && y > canvas.top && y < canvas.bottom - 60;
      if (isVisible) return;
      const { positionAbsolute } = node.internals;
      void flow.setCenter(positionAbsolute.x + 116, positionAbsolute.y + 40, {
        zoom: Math.max(flow.getZoom(), 0.6),
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [flow, only, root]);
}

function isWithin(
  origin: { readonly x: number; readonly y: number } | undefined,
  { width = 0, height = 0 }: FlowNode,
  x: number,
  y: number,
): boolean {
  return (
    origin !== undefined &&
    x >= origin.x &&
    x <= origin.x + width &&
    y >= origin.y &&
    y <= origin.y + height
  );
}

/** The id of the edge at a point of the window. */
function edgeAt(x: number, y: number): string | undefined {
  const element = document
    .elementsFromPoint(x, y)
    .find((each) => each.closest(".react-flow__edge") !== null);
  return element?.closest<HTMLElement>(".react-flow__edge")?.dataset["id"];
}
