/** The progress of a run as marks on a canvas. */
import type { Mark, Marks } from "../canvas/marks.ts";
import type { RunProgress } from "../data/editor-data.ts";
import { edgeId, edgesOf } from "../document/edits.ts";
import { ALL_ITERATIONS, type ChosenIterations, idOf, isChosen, pathOf } from "./iterations.ts";

/** Marks a step in several iterations with the state that needs attention most. */
export function marksOf(progress: RunProgress, chosen: ChosenIterations = ALL_ITERATIONS): Marks {
  const nodes = new Map<string, Mark>();
  for (const [path, state] of Object.entries(progress.nodes)) {
    if (state === "idle" || !isChosen(path, chosen)) continue;
    const id = idOf(path);
    const known = nodes.get(id);
    if (known === undefined || rank(state) < rank(known)) nodes.set(id, state);
  }
  return { nodes, edges: edgeMarks(progress, chosen), guards: guardsOf(progress, chosen) };
}

function edgeMarks(
  { document, edges: outside, loopEdges = {} }: RunProgress,
  chosen: ChosenIterations,
): Marks["edges"] {
  const all = edgesOf(document);
  const marks = new Map<string, Mark>();
  const note = (states: RunProgress["edges"]): void => {
    for (const [at, state] of Object.entries(states)) {
      const edge = all[Number(at)];
      if (edge === undefined || state === "open") continue;
      const id = edgeId(edge);
      const known = marks.get(id);
      if (known === undefined || edgeRank(state) < edgeRank(known)) marks.set(id, state);
    }
  };
  note(outside);
  for (const [iteration, states] of Object.entries(loopEdges)) {
    if (isChosen(iteration, chosen)) note(states);
  }
  return marks;
}

/** The guards of nodes that exist once in the chosen iterations. */
function guardsOf(
  { document, guards = {} }: RunProgress,
  chosen: ChosenIterations,
): ReadonlyMap<string, string> {
  return new Map(
    Object.keys(document.nodes).flatMap((id) => {
      const path = pathOf(document, id, chosen);
      const value = path === undefined ? undefined : guards[path];
      return value === undefined ? [] : [[id, String(value)] as const];
    }),
  );
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

const EDGE_ORDER: readonly Mark[] = ["failed", "taken", "skipped"];
const edgeRank = (mark: Mark): number => EDGE_ORDER.indexOf(mark);
