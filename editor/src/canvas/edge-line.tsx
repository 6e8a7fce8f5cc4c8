/** A connection on the canvas, with a button that inserts a step. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { createContext, memo, type ReactNode, useContext } from "react";
import { Icon } from "../catalog/icon.tsx";
import { useEditor } from "../state/use-editor.ts";
import type { FlowEdge } from "./flow-elements.ts";
import { useMarks } from "./marks.ts";

export interface EdgeActions {
  readonly insert: (edgeId: string) => void;
  /** The edge on which a dragged node type would be dropped. */
  readonly target: string | undefined;
}

export const EdgeActionsContext = createContext<EdgeActions>({
  insert: () => undefined,
  target: undefined,
});

export const EdgeLine = memo(function EdgeLine(edge: EdgeProps<FlowEdge>): ReactNode {
  const { id, sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition } = edge;
  const [path, x, y] = getBezierPath({
    sourceX,
    sourceY,
    sourcePosition,
    targetX,
    targetY,
    targetPosition,
  });
  const { insert, target } = useContext(EdgeActionsContext);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const { edges: edgeMarks, guards } = useMarks();
  const mark = edgeMarks.get(id);
  const guard = guards?.get(edge.target);
  const names = [
    "oxe-edge",
    edge.selected === true ? "selected" : "",
    target === id ? "target" : "",
    edge.sourceHandleId === "error" ? "on-error" : "",
    mark === undefined ? "" : `is-${mark}`,
  ];
  return (
    <>
      <BaseEdge id={id} path={path} className={names.join(" ")} interactionWidth={24} />
      <EdgeLabelRenderer>
        <div
          className="oxe-edge-tools nodrag nopan"
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {guard === undefined ? null : (
            <span className={`oxe-edge-label${guard === "failed" ? " on-error" : ""}`}>
              <span className="oxe-only-read">{`Condition of ${edge.target}: `}</span>
              if {guard}
            </span>
          )}
          {isReadOnly ? null : (
            <button
              type="button"
              className="oxe-insert"
              // Lists and the keyboard have "Add a step after".
              tabIndex={-1}
              aria-label={`Insert a step between ${edge.source} and ${edge.target}`}
              title="Insert a step"
              onClick={() => insert(id)}
            >
              <Icon name="plus" size={14} />
            </button>
          )}
        </div>
      </EdgeLabelRenderer>
    </>
  );
});
