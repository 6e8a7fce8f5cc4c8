/** A node on the canvas: a card, or the frame of a loop. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo, type ReactNode } from "react";
import { TypeIcon } from "../catalog/icon.tsx";
import { ProblemCount } from "../problems/problem-count.tsx";
import { useEditor, useStore } from "../state/use-editor.ts";
import { type FlowNode, hasErrorEdge, listedHandles, MIDDLE, rowMiddle } from "./flow-elements.ts";
import { useMarks } from "./marks.ts";

const Card = memo(function Card({ id }: { readonly id: string }): ReactNode {
  const { catalog } = useStore();
  const node = useEditor(({ drawing }) => drawing.document.nodes[id]);
  const isErrorListed = useEditor(({ drawing }) => hasErrorEdge(drawing.document, id));
  const marks = useMarks();
  const mark = marks.nodes.get(id);
  const guard = marks.guards?.get(id);
  if (node === undefined) return null;
  const type = catalog.nodeTypes.get(node.type);
  const typeTitle = catalog.titleOfType(node.type);
  const handles = catalog.handlesOf(node);
  const rows = listedHandles(handles, isErrorListed);
  const isOutAlone = handles.length === 1 && handles[0] === "out";
  const isUnknown = type === undefined;
  return (
    <>
      <Handle type="target" id="in" position={Position.Left} style={{ top: MIDDLE }} />
      <div className="oxe-card-head" data-category={type?.category ?? "Other"}>
        <TypeIcon icon={type?.icon} title={typeTitle} />
        <span className="oxe-card-titles">
          <span className="oxe-card-title">{node.title ?? typeTitle}</span>
          <span className="oxe-card-type">
            {isUnknown ? node.type : node.title === undefined ? id : typeTitle}
          </span>
        </span>
        {node.when === undefined ? null : (
          <span className="oxe-card-flag" title={`Only if ${node.when}`}>
            {guard === undefined ? "if" : `if ${guard}`}
          </span>
        )}
      </div>
      {marks.pinned?.has(id) === true ? (
        <span className="oxe-pinned" title="In tests, a pin takes the place of this step’s work">
          pinned
        </span>
      ) : null}
      {rows.map((handle) => (
        <div className={`oxe-card-row${handle === "error" ? " on-error" : ""}`} key={handle}>
          {handle}
        </div>
      ))}
      {isOutAlone ? (
        <Handle type="source" id="out" position={Position.Right} style={{ top: MIDDLE }} />
      ) : null}
      {rows.map((handle, at) => (
        <Handle
          key={handle}
          type="source"
          id={handle}
          position={Position.Right}
          style={{ top: rowMiddle(at) }}
        />
      ))}
      {handles.length === 0 || isErrorListed ? null : (
        <Handle
          type="source"
          id="error"
          position={Position.Bottom}
          className="oxe-error-handle"
          title="When it fails"
        />
      )}
      <ProblemCount id={id} />
      {mark === undefined ? null : <span className="oxe-mark">{mark}</span>}
    </>
  );
});

export const CardNode = memo(function CardNode({ id, selected }: NodeProps<FlowNode>): ReactNode {
  const mark = useMarks().nodes.get(id);
  return (
    <div className={classes("oxe-card", selected && "selected", mark && `is-${mark}`)}>
      <Card id={id} />
    </div>
  );
});

export const LoopNode = memo(function LoopNode({ id, selected }: NodeProps<FlowNode>): ReactNode {
  const mark = useMarks().nodes.get(id);
  const isEmpty = useEditor(({ drawing }) =>
    Object.values(drawing.document.nodes).every(({ parent }) => parent !== id),
  );
  return (
    <div className={classes("oxe-card oxe-loop", selected && "selected", mark && `is-${mark}`)}>
      <Card id={id} />
      {isEmpty ? <p className="oxe-loop-empty">Drop steps here: they run in each round.</p> : null}
    </div>
  );
});

const classes = (...names: (string | false | undefined)[]): string =>
  names.filter((name) => typeof name === "string").join(" ");
