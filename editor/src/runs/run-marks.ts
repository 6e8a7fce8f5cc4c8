/** The progress of a run as marks on a canvas. */
import { handleOf } from "@oxbow/declared/check";
import { edgeId } from "../canvas/flow-elements.ts";
import type { Mark, Marks } from "../canvas/marks.ts";
import type { RunProgress } from "../data/editor-data.ts";
import { edgesOf } from "../document/edits.ts";

/** States as marks: of a loop's body, the state that most of its rounds need attention for. */
export function marksOf({ document, nodes: states, edges: taken }: RunProgress): Marks {
  const nodes = new Map<string, Mark>();
  for (const [path, state] of Object.entries(states)) {
    if (state === "idle") continue;
    const id = path.split(".").at(-1) ?? path;
    const known = nodes.get(id);
    if (known === undefined || rank(state) < rank(known)) nodes.set(id, state);
  }
  const edges = new Map<string, Mark>();
  for (const [at, edge] of edgesOf(document).entries()) {
    const state = taken[at];
    if (state === undefined || state === "open") continue;
    edges.set(edgeId(edge.from, handleOf(edge), edge.to), state);
  }
  return { nodes, edges };
}

const ORDER: readonly Mark[] = [
  "failed",
  "retrying",
  "running",
  "waiting",
  "abandoned",
  "succeeded",
  "skipped",
];
const rank = (mark: Mark): number => ORDER.indexOf(mark);
