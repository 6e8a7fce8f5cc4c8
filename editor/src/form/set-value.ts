/** Changes a value of the document, and whatever depends on it. */
import { type Document, handleOf, type Json } from "@oxbow/declared/check";
import type { EditorCatalog } from "../catalog/editor-catalog.ts";
import { edgesOf, removeEdges, renameHandle } from "../document/edits.ts";
import { stepsOf, withValueAt } from "../document/places.ts";
import type { EditorStore } from "../state/editor-store.ts";

/** Sets the value at a pointer; undefined removes it. Letters typed into one field are one step of undo. */
export function setValue(store: EditorStore, pointer: string, value: Json | undefined): void {
  store.changeDocument(
    (document) => {
      const changed = withValueAt(document, pointer, value);
      const [kind, id] = stepsOf(pointer);
      return kind === "nodes" && id !== undefined
        ? withHandlesFollowing(document, changed, id, store.catalog)
        : changed;
    },
    { gesture: pointer },
  );
}

/** Edges follow a renamed case of a branch, and go with a removed one. */
function withHandlesFollowing(
  before: Document,
  after: Document,
  id: string,
  catalog: EditorCatalog,
): Document {
  const [old, current] = [before.nodes[id], after.nodes[id]];
  if (old === undefined || current === undefined) return after;
  const [former, handles] = [catalog.handlesOf(old), catalog.handlesOf(current)];
  const gone = former.filter((handle) => !handles.includes(handle));
  if (gone.length === 0) return after;
  const added = handles.filter((handle) => !former.includes(handle));
  const [renamed, name] = [gone[0], added[0]];
  if (gone.length === 1 && added.length === 1 && renamed !== undefined && name !== undefined) {
    return renameHandle(after, id, renamed, name);
  }
  return removeEdges(
    after,
    edgesOf(after).filter((edge) => edge.from === id && gone.includes(handleOf(edge))),
  );
}
