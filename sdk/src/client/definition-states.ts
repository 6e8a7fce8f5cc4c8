/** The progress of a run of a definition at one moment, put together from its events. */
import type {
  DefinitionEdgeChange,
  DefinitionProgress,
  DefinitionProgressEvent,
} from "../protocol/definition-progress.ts";

/** Reads events up to the first state of the run, which comes after all that is journaled. */
export async function progressNow(
  events: AsyncGenerator<DefinitionProgressEvent, void>,
): Promise<DefinitionProgress> {
  const nodes: Record<string, DefinitionProgress["nodes"][string]> = {};
  const edges = new Map<string, DefinitionEdgeChange>();
  let at = { position: "", version: 0 };
  for await (const event of events) {
    if (event.type === "state") {
      const { status, activity } = event;
      const now = { ...nodes, ...event.nodes };
      return { ...at, status, activity, nodes: now, edges: [...edges.values()] };
    }
    if (event.type === "reset") {
      for (const path of Object.keys(nodes)) delete nodes[path];
      edges.clear();
    }
    if (event.type === "changes") {
      at = { position: event.position, version: event.version };
      Object.assign(nodes, event.nodes);
      for (const edge of event.edges) edges.set(`${edge.prefix}${edge.index}`, edge);
    }
  }
  // Its events have a state before the end.
  throw new Error("The progress of the run has no state.");
}
