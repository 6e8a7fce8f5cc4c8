import { useQueryClient } from "@tanstack/react-query";
import { type Run, runQuery, type Step, stepsQuery } from "../../api/runs.ts";
import { useEvents } from "../../api/use-events.ts";

/** Adds steps to the journal as they are committed, and reads the run again when its status changes. */
export function useLiveRun({ runId, name, status, generation }: Run): void {
  const queries = useQueryClient();
  const path = `./v1/workflows/${encodeURIComponent(name)}/runs/${runId}/events`;
  useEvents(status === "running" ? path : undefined, (event) => {
    if (event.name === "step") {
      const step = event.data as Step;
      queries.setQueryData(stepsQuery(runId).queryKey, (known) =>
        known === undefined || known.some(({ position }) => position === step.position)
          ? known
          : [...known, step],
      );
      return;
    }
    // The run has continued as new, with an empty journal.
    if ((event.data as Partial<Run>).generation !== generation) {
      queries.setQueryData(stepsQuery(runId).queryKey, []);
    }
    void queries.invalidateQueries({ queryKey: runQuery(runId).queryKey });
  });
}
