import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type Run, runQuery, type Step, stepsQuery } from "../../api/runs.ts";
import { useEvents } from "../../api/use-events.ts";

/**
 * Adds steps to the journal as they are committed, and reads the run again when its status changes.
 *
 * @param isJournalRead Events repeat all steps: until there is a journal to add them to, they are not asked for.
 */
export function useLiveRun({ runId, name, status, generation }: Run, isJournalRead: boolean): void {
  const queries = useQueryClient();
  const isRunning = status === "running";
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    // Another read of the run may have been faster than the events of its last steps, which are no longer followed.
    if (wasRunning.current && !isRunning) {
      void queries.invalidateQueries({ queryKey: stepsQuery(runId).queryKey });
    }
    wasRunning.current = isRunning;
  }, [queries, runId, isRunning]);
  const path = `./v1/workflows/${encodeURIComponent(name)}/runs/${runId}/events`;
  useEvents(isRunning && isJournalRead ? path : undefined, (event) => {
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
