/** What needs attention first: each finding with a link to where one acts. */
import type { ListedRun } from "../../api/runs.ts";
import type { Readiness } from "../../api/server.ts";
import type { Subscription } from "../../api/topics.ts";
import { duration } from "../../format/duration.ts";
import { errorText } from "../../format/error-text.ts";
import type { RunsSearch } from "../runs/runs-search.ts";

export interface Finding {
  readonly text: string;
  readonly to: "/deliveries" | "/runs" | "/topics";
  readonly search?: RunsSearch;
}

/** A run that has waited longer for a worker is worth a look. */
const LONG_WAIT_S = 60;
const MOST_FINDINGS = 8;
const LONGEST_TEXT = 200;

export const findingsIn = (
  failed: readonly ListedRun[],
  subscriptions: readonly Subscription[],
  readiness: Readiness | undefined,
  timeText: (at: Date) => string,
): readonly Finding[] =>
  [
    ...waiting(readiness),
    ...failures(failed, timeText),
    ...subscriptions.flatMap(({ subscriptionId, disabledAt, failingSince }) =>
      disabledAt !== null
        ? [{ text: `Subscription ${subscriptionId} is disabled.`, to: "/topics" as const }]
        : failingSince !== null
          ? [
              {
                text: `Deliveries to subscription ${subscriptionId} fail since ${timeText(new Date(failingSince))}.`,
                to: "/topics" as const,
              },
            ]
          : [],
    ),
  ].slice(0, MOST_FINDINGS);

function waiting(readiness: Readiness | undefined): Finding[] {
  const oldest = readiness?.oldestReadyRun;
  if (oldest === undefined || oldest === null || oldest.ageSeconds < LONG_WAIT_S) return [];
  return [
    {
      text: `A run of ${oldest.workflow} has waited for a worker for ${duration(oldest.ageSeconds * 1_000)}.`,
      to: "/runs",
      search: { workflow: oldest.workflow, status: "running" },
    },
  ];
}

/** Failed runs with the same error, the most frequent first. */
function failures(failed: readonly ListedRun[], timeText: (at: Date) => string): Finding[] {
  const groups = new Map<string, ListedRun[]>();
  for (const run of failed) {
    const key = JSON.stringify([run.name, codeOf(run.error) ?? errorText(run.error)]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()]
    .toSorted((one, other) => other.length - one.length)
    .flatMap((runs) => {
      const [newest] = runs;
      if (newest === undefined) return [];
      const first = Math.min(...runs.map((run) => Date.parse(run.completedAt ?? run.startedAt)));
      const code = codeOf(newest.error);
      const count = runs.length === 1 ? "1 run" : `${runs.length} runs`;
      return [
        {
          text: `${count} of ${newest.name} failed since ${timeText(new Date(first))}: ${errorText(newest.error).slice(0, LONGEST_TEXT)}`,
          to: "/runs" as const,
          search: {
            workflow: newest.name,
            status: "failed",
            ...(code === undefined ? {} : { error: code }),
          },
        },
      ];
    });
}

/** The code that the filter of runs finds: of the error, or of its cause. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as {
    readonly code?: unknown;
    readonly cause?: { readonly code?: unknown } | null;
  };
  if (typeof cause?.code === "string") return cause.code;
  return typeof code === "string" ? code : undefined;
}
