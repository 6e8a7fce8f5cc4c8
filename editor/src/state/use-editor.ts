/** The store of the editor that surrounds a component. */
import { createContext, useContext, useSyncExternalStore } from "react";
import type { EditorState, EditorStore } from "./editor-store.ts";

export const EditorContext = createContext<EditorStore | undefined>(undefined);

export function useStore(): EditorStore {
  const store = useContext(EditorContext);
  if (store === undefined) throw new Error("Render this component inside an <Editor>.");
  return store;
}

/** A part of the state; the component is drawn again when it changes. */
export function useEditor<Part>(part: (state: EditorState) => Part): Part {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => part(store.state));
}
