/** The arguments of the functions that start runs. */
import type { SignalRequest, StartRequest } from "../../../protocol/runs.ts";
import { toSeconds, unlessNone } from "../connection/arguments.ts";

/** The arguments of `workflow_start_batch`, all of one workflow. */
export function startArguments(workflow: string, requests: readonly StartRequest[]): unknown[] {
  return [
    workflow,
    requests.map((request) => request.input ?? null),
    requests.map((request) => request.version ?? null),
    requests.map((request) => request.idempotencyKey ?? null),
    requests.map((request) => request.retentionDays ?? null),
    requests.map((request) => (request.delayMs === undefined ? null : request.delayMs / 1000)),
    requests.map((request) => request.deadline?.toISOString() ?? null),
    requests.map((request) => request.tags ?? null),
    ruleOf(requests, ({ onRunning }) => onRunning),
    ruleOf(requests, ({ onEnded }) => onEnded),
    ruleOf(requests, ({ flowKey }) => flowKey),
    ruleOf(requests, ({ priority }) => priority),
    unlessNone(requests.map(({ trace }) => (trace === undefined ? null : JSON.stringify(trace)))),
    unlessNone(requests.map(({ startAt }) => startAt?.toISOString() ?? null)),
    unlessNone(requests.map(({ deadlineMs }) => toSeconds(deadlineMs))),
  ];
}

/** Null where nobody gives a rule, which is the usual case. */
function ruleOf<Value>(
  requests: readonly StartRequest[],
  rule: (request: StartRequest) => Value | undefined,
): (Value | null)[] | null {
  return unlessNone(requests.map((request) => rule(request) ?? null));
}

/** The arguments of `workflow_signal_with_start`. */
export const signalWithStartArguments = (
  request: StartRequest,
  signal: SignalRequest,
): unknown[] => [
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
];
