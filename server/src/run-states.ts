/** The states of runs, as filters of the API and of the command name them. */
import type { RunActivity } from "@oxbow/sdk";

export const RUN_STATUSES = ["running", "completed", "failed", "cancelled"] as const;

export const RUN_ACTIVITIES = [
  "queued",
  "ready",
  "executing",
  "sleeping",
  "waiting",
  "retrying",
  "delayed",
  "pausing",
  "paused",
] as const satisfies readonly RunActivity[];
