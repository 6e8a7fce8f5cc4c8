import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { stateQuery } from "../../api/runs.ts";
import { JsonViewer } from "../../parts/json/json-viewer.tsx";

/** What the run has published; nothing if it has published nothing. */
export function PublishedState({ runId }: { runId: string }): ReactNode {
  const { data } = useQuery(stateQuery(runId));
  const state = data?.state;
  if (typeof state !== "object" || state === null || Object.keys(state).length === 0) return null;
  return <JsonViewer label="State" value={state} />;
}
