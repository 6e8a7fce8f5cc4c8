/** What needs attention first: each finding with a link to where one acts. */
import type { ListedRun } from "../../api/runs.ts";
import type { DeadLetterQueue } from "../../api/queues.ts";
import type { Readiness } from "../../api/server.ts";
import type { Worker } from "../../api/workflows.ts";
import type { Subscription } from "../../api/topics.ts";
import { duration } from "../../format/duration.ts";
import { errorText } from "../../format/error-text.ts";
import { poolOf } from "../../format/pool.ts";
import type { RunsSearch } from "../runs/runs-search.ts";

export type Finding =
  | { readonly text: string; readonly to: "/runs" | "/topics"; readonly search?: RunsSearch }
  | {
      readonly text: string;
      readonly to: "/queues/$name";
      readonly params: { readonly name: string };
    };

/** A run that has waited longer for a worker is worth a look. */
const LONG_WAIT_S = 60;
const MOST_FINDINGS = 8;
const LONGEST_TEXT = 200;
const LONGEST_FILTER = 120;

export const findingsIn = (
  failed: readonly ListedRun[],
  subscriptions: readonly Subscription[],
  readiness: Readiness | undefined,
  workers: readonly Worker[],
  deadLetterQueues: readonly DeadLetterQueue[],
  timeText: (at: Date) => string,
): readonly Finding[] =>
  [
    ...waiting(readiness, workers),
    ...failures(failed, timeText),
    ...deadLetters(deadLetterQueues),
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

function waiting(readiness: Readiness | undefined, workers: readonly Worker[]): Finding[] {
  const oldest = readiness?.oldestReadyRun;
  if (oldest === undefined || oldest === null || oldest.ageSeconds < LONG_WAIT_S) return [];
  const { workflow, ageSeconds } = oldest;
  const isServed = workers.some(({ isLive, serves }) => isLive && Object.hasOwn(serves, workflow));
  const pool = poolOf(workflow);
  const what = pool === undefined ? workflow : `pool ${pool}`;
  return [
    {
      text: `A run of ${what} has waited for a worker for ${duration(ageSeconds * 1_000)}${isServed ? "" : `: no live worker serves ${what}`}.`,
      to: "/runs",
      // A pool is no workflow that runs could be listed by.
      search: pool === undefined ? { workflow, activity: "ready" } : { activity: "ready" },
    },
  ];
}

/** Queues of dead letters that have some. */
function deadLetters(queues: readonly DeadLetterQueue[]): Finding[] {
  return queues.map(({ name, messages, hasMore }) => ({
    text: `${hasMore ? "More than " : ""}${messages === 1 ? "1 dead letter is" : `${messages.toLocaleString("en")} dead letters are`} in queue ${name}.`,
    to: "/queues/$name",
    params: { name },
  }));
}

/** Failed runs of the same cause, the most frequent first. */
function failures(failed: readonly ListedRun[], timeText: (at: Date) => string): Finding[] {
  const groups = new Map<string, ListedRun[]>();
  for (const run of failed) {
    const { step, reason, code } = causeOf(run.error);
    const key = JSON.stringify([run.name, step, code ?? reason]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()]
    .toSorted((one, other) => other.length - one.length)
    .flatMap((runs) => {
      const [newest] = runs;
      if (newest === undefined) return [];
      const { step, reason, search } = causeOf(newest.error);
      const first = Math.min(...runs.map((run) => Date.parse(run.completedAt ?? run.startedAt)));
      const count = runs.length === 1 ? "1 run" : `${runs.length.toLocaleString("en")} runs`;
      const place = step === undefined ? "failed" : `failed at ${step}`;
      return [
        {
          text: `${count} of ${newest.name} ${place} since ${timeText(new Date(first))}: ${reason.slice(0, LONGEST_TEXT)}`,
          to: "/runs" as const,
          search: { workflow: newest.name, status: "failed", ended: "1h", ...search },
        },
      ];
    });
}

interface Cause {
  /** The step that failed; undefined if the body did. */
  readonly step?: string;
  readonly reason: string;
  readonly code?: string;
  /** The filter that finds runs of this cause. */
  readonly search: RunsSearch;
}

/** Why a run failed, without what is different in each run. */
function causeOf(error: unknown): Cause {
  const {
    code,
    message: given,
    cause,
  } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly cause?: { readonly code?: unknown } | null;
  };
  const message = typeof given === "string" ? given : "";
  const own =
    typeof cause?.code === "string" ? cause.code : typeof code === "string" ? code : undefined;
  const step =
    code === "STEP_FAILED" ? /^Step "(.+)" of run \d+ failed/s.exec(message)?.[1] : undefined;
  if (step !== undefined) {
    return {
      step,
      reason: errorText(cause ?? error),
      ...(typeof cause?.code === "string" ? { code: cause.code } : {}),
      search: {
        message: `Step "${step}" of run`,
        ...(typeof cause?.code === "string" ? { error: cause.code } : {}),
      },
    };
  }
  const reason = errorText(error);
  return own === undefined
    ? { reason, search: { message: message.slice(0, LONGEST_FILTER) } }
    : { reason, code: own, search: { error: own } };
}
