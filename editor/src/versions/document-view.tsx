/** A document that is only shown, on a canvas of its own, with marks: two versions compared, or the progress of a run. */
import type { Document, Layout } from "@oxbow/declared/check";
import { type ReactNode, useEffect, useMemo } from "react";
import { Canvas } from "../canvas/canvas.tsx";
import { type Marks, MarksContext } from "../canvas/marks.ts";
import { EditorStore } from "../state/editor-store.ts";
import { EditorContext, useStore } from "../state/use-editor.ts";

const NO_EDGES: ReadonlySet<string> = new Set();
const ignore = (): void => undefined;

export function DocumentView({
  document,
  positions,
  marks,
  onSelect,
}: {
  readonly document: Document;
  readonly positions: Layout["nodes"];
  readonly marks: Marks;
  readonly onSelect?: (id: string | undefined) => void;
}): ReactNode {
  const { catalog } = useStore();
  const store = useMemo(() => {
    const loaded = { document, revision: 0, layout: { nodes: positions } };
    const nothing = {
      load: () => Promise.resolve(loaded),
      catalog: () => Promise.resolve(catalog.data),
    };
    return new EditorStore(nothing, loaded, catalog, { isChecked: false });
  }, [document, positions, catalog]);
  useEffect(() => {
    if (onSelect === undefined) return undefined;
    return store.subscribe(() => onSelect(store.state.selected[0]));
  }, [store, onSelect]);
  return (
    <EditorContext value={store}>
      <MarksContext value={marks}>
        <Canvas selectedEdges={NO_EDGES} onSelectEdges={ignore} />
      </MarksContext>
    </EditorContext>
  );
}
