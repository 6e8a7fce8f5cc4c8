import { type Document, type Edge, handleOf } from "@oxbow/declared/check";
import { edgesOf } from "../document/edits.ts";
import { edgeId } from "./flow-elements.ts";

/** The edge that the canvas shows under an id. */
export function edgeById(document: Document, id: string): Edge | undefined {
  return edgesOf(document).find((edge) => edgeId(edge.from, handleOf(edge), edge.to) === id);
}
