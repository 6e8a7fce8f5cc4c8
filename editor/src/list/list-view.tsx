/** The steps as a list in the order in which they run: for the keyboard, for screen readers, and for small windows. */
import { type Document, handleOf } from "@oxbow/declared/check";
import { memo, type ReactNode, useMemo } from "react";
import { isLoop } from "../catalog/loops.ts";
import { Icon, IconButton, TypeIcon } from "../catalog/icon.tsx";
import { useMarks } from "../canvas/marks.ts";
import { titleOf } from "../document/connections.ts";
import { edgesOf, removeNodes } from "../document/edits.ts";
import { type ListedNode, nodesInOrder } from "../document/order.ts";
import { ProblemCount } from "../problems/problem-count.tsx";
import { useAdding } from "../shell/adding.ts";
import { useEditor, useStore } from "../state/use-editor.ts";

export function ListView(): ReactNode {
  const adding = useAdding();
  const document = useEditor(({ outline }) => outline);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const nodes = useMemo(() => nodesInOrder(document), [document]);
  const sources = useMemo(() => sourcesIn(document), [document]);
  return (
    <div className="oxe-list-view">
      {nodes.length === 0 ? <p className="oxe-hint">The workflow has no steps yet.</p> : null}
      <ol aria-label="Steps">
        {nodes.map((node) => (
          <Row key={node.id} {...node} sources={sources.get(node.id) ?? ""} />
        ))}
      </ol>
      {isReadOnly ? null : (
        <button type="button" className="oxe-add" onClick={() => adding.ask({ kind: "end" })}>
          <Icon name="plus" size={14} /> Add a step
        </button>
      )}
    </div>
  );
}

/** The titles of the steps before each, with their ways out. */
function sourcesIn(document: Document): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const edge of edgesOf(document)) {
    const on = handleOf(edge);
    const title = titleOf(document, edge.from);
    const source = on === "out" ? title : `${title} (${on})`;
    const others = sources.get(edge.to);
    sources.set(edge.to, others === undefined ? source : `${others}, ${source}`);
  }
  return sources;
}

const Row = memo(function Row({
  id,
  depth,
  sources,
}: ListedNode & { readonly sources: string }): ReactNode {
  const store = useStore();
  const { catalog } = store;
  const adding = useAdding();
  const node = useEditor(({ drawing }) => drawing.document.nodes[id]);
  const isSelected = useEditor(({ selected }) => selected.includes(id));
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const { nodes: marks, pinned } = useMarks();
  const mark = marks.get(id);
  if (node === undefined) return null;
  const typeTitle = catalog.titleOfType(node.type);
  const title = node.title ?? typeTitle;
  const [handle] = catalog.handlesOf(node);
  return (
    <li className={`oxe-row depth-${Math.min(depth, 2)}${isSelected ? " selected" : ""}`}>
      <button
        type="button"
        className="oxe-row-main"
        aria-current={isSelected}
        data-category={catalog.nodeTypes.get(node.type)?.category ?? "Other"}
        onClick={() => store.select([id])}
      >
        <TypeIcon icon={catalog.nodeTypes.get(node.type)?.icon} title={typeTitle} />
        <span className="oxe-card-titles">
          <span className="oxe-card-title">{title}</span>
          <span className="oxe-card-type">
            {node.title === undefined ? id : typeTitle}
            {sources === "" ? "" : ` · after ${sources}`}
            {node.when === undefined ? "" : ` · only if ${node.when}`}
          </span>
        </span>
        {pinned?.has(id) === true ? <span className="oxe-row-mark">pinned</span> : null}
        {mark === undefined ? null : <span className={`oxe-row-mark is-${mark}`}>{mark}</span>}
        <ProblemCount id={id}>
          <span className="oxe-only-read"> problems</span>
        </ProblemCount>
      </button>
      {isReadOnly ? null : (
        <span className="oxe-row-tools">
          {isLoop(node.type) ? (
            <IconButton
              icon="loop"
              size={16}
              label={`Add a step inside ${title}`}
              title="Add a step inside"
              onClick={() => adding.ask({ kind: "inside", loop: id })}
            />
          ) : null}
          {handle === undefined ? null : (
            <IconButton
              icon="plus"
              size={16}
              label={`Add a step after ${title}`}
              title="Add a step after"
              onClick={() => adding.ask({ kind: "after", from: id, on: handle })}
            />
          )}
          <IconButton
            icon="trash"
            size={16}
            label={`Delete ${title}`}
            title="Delete"
            onClick={() => store.change((drawing) => removeNodes(drawing, [id]), { select: [] })}
          />
        </span>
      )}
    </li>
  );
});
