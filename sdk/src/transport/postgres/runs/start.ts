/** The arguments of the functions that start runs, and their rows. */
import type { SignalRequest, StartedRun, StartRequest } from "../../../protocol/runs.ts";
import type { RequestTimes } from "../../../protocol/worker.ts";
import { toSeconds, unlessNone } from "../connection/arguments.ts";
import type { ParametersOf } from "../connection/call.ts";
import type { BatchStartRow, workflowSignalWithStart, workflowStartBatch } from "./functions.ts";

/** The arguments of `workflow_start_batch`, all of one workflow. */
export function startArguments(
  workflow: string,
  requests: readonly StartRequest[],
): ParametersOf<typeof workflowStartBatch> {
  /** Null if no request specifies it, as is usual. */
  const each = <Value>(option: (request: StartRequest) => Value | null | undefined) =>
    unlessNone(requests.map((request) => option(request) ?? null));
  return [
    workflow,
    requests.map(({ input }) => input ?? null),
    each(({ version }) => version),
    each(({ idempotencyKey }) => idempotencyKey),
    each(({ retentionDays }) => retentionDays),
    each(({ delayMs }) => toSeconds(delayMs)),
    each(({ deadline }) => deadline?.toISOString()),
    each(({ tags }) => tags),
    each(({ onRunning }) => onRunning),
    each(({ onEnded }) => onEnded),
    each(({ flowKey }) => flowKey),
    each(({ priority }) => priority),
    each(({ trace }) => (trace === undefined ? null : JSON.stringify(trace))),
    each(({ startAt }) => startAt?.toISOString()),
    each(({ deadlineMs }) => toSeconds(deadlineMs)),
    each(({ leaseMs }) => toSeconds(leaseMs)),
    each(({ route }) => route),
    each(({ followsKey }) => (followsKey === true ? "true" : undefined)),
    each(({ leaseVersion }) => leaseVersion),
  ];
}

export function toStartedRun(
  { runId, created, status, receipt, startedAt, deadline }: BatchStartRow,
  times: RequestTimes,
): StartedRun {
  if (receipt === null || startedAt === null) return { runId, created, status };
  const lease = { receipt, startedAt, times, ...(deadline === null ? {} : { deadline }) };
  return { runId, created, status, lease };
}

/** The arguments of `workflow_start_elsewhere`. */
export const startElsewhereArguments = (request: StartRequest, route: string) =>
  [
    route,
    request.workflow,
    request.input ?? null,
    request.version ?? null,
    request.idempotencyKey ?? null,
    request.retentionDays ?? null,
    request.delayMs === undefined ? 0 : request.delayMs / 1000,
    request.deadline?.toISOString() ?? null,
    request.tags ?? null,
    request.onRunning ?? "use-existing",
    request.onEnded ?? "use-existing",
    request.flowKey ?? null,
    request.priority ?? null,
    request.trace === undefined ? null : JSON.stringify(request.trace),
    request.startAt?.toISOString() ?? null,
    toSeconds(request.deadlineMs),
  ] as const;

/** The arguments of `workflow_signal_with_start`. */
export const signalWithStartArguments = (
  request: StartRequest,
  signal: SignalRequest,
): ParametersOf<typeof workflowSignalWithStart> => [
  request.workflow,
  request.idempotencyKey ?? null,
  signal.event,
  signal.payload ?? null,
  request.input ?? null,
  request.version ?? null,
  request.retentionDays ?? null,
  request.delayMs === undefined ? 0 : request.delayMs / 1000,
  request.deadline?.toISOString() ?? null,
  request.tags ?? null,
  request.onEnded ?? "start-new",
  signal.deduplicationId ?? null,
  request.flowKey ?? null,
  request.priority ?? null,
  request.trace === undefined ? null : JSON.stringify(request.trace),
  request.startAt?.toISOString() ?? null,
  toSeconds(request.deadlineMs),
  request.route ?? null,
  request.followsKey ?? false,
];
