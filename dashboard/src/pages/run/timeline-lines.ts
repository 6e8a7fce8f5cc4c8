/** The life of a run as lines with bars: what it has done, in the order of the journal, then what it does. */
import type { Child, Run, Step } from "../../api/runs.ts";
import { errorText } from "../../format/error-text.ts";

type Look = "failed" | "queued" | "retry" | "wait" | "work";

export interface TimelineLine {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  /** How often the step was called; 1 for waits. */
  readonly calls: number;
  /** Milliseconds, as Date.now() has them. */
  readonly from: number;
  /** Undefined while it lasts. */
  readonly to: number | undefined;
  readonly look: Look;
  /** When earlier calls failed. */
  readonly failedAt: readonly number[];
  readonly remark: string;
  readonly childRunId: string | undefined;
}

interface Retry {
  readonly step: string;
  readonly attempts: number;
  readonly error?: unknown;
  readonly until?: string;
  readonly failures?: readonly { readonly failedAt: string }[];
}

interface Wait {
  readonly step: string;
  readonly kind: string;
  readonly event?: string;
  /** Whether the event is a decision of people. */
  readonly approval?: boolean;
  readonly since?: string;
  readonly until?: string;
}

const WAITING = new Set(["sleep", "wait", "invoke"]);
/** Below this, the time before the first step is not worth a line. */
const QUEUED_MS = 5;

/** @param timeText How instants are written. */
export function timelineLines(
  run: Run,
  steps: readonly Step[],
  children: readonly Child[],
  now: number,
  timeText: (at: Date) => string,
): TimelineLine[] {
  const childOf = new Map(children.map(({ step, runId }) => [step, runId]));
  const begin = Date.parse(run.startedAt);
  const ended = steps.map((step) => stepLine(step, childOf.get(step.name)));
  const open = run.status === "running" ? openLines(run, begin, now, childOf, timeText) : [];
  const first = [...ended, ...open].reduce((least, { from }) => Math.min(least, from), Infinity);
  const isQueued = Number.isFinite(first) && first - begin >= QUEUED_MS;
  return [...(isQueued ? [queuedLine(begin, first)] : []), ...ended, ...open];
}

const queuedLine = (from: number, to: number): TimelineLine => ({
  key: "queued",
  name: "before the first step",
  kind: "queued",
  calls: 1,
  from,
  to,
  look: "queued",
  failedAt: [],
  remark: "",
  childRunId: undefined,
});

function stepLine(step: Step, childRunId: string | undefined): TimelineLine {
  const { position, name, kind, attempts, error, startedAt, completedAt, failures = [] } = step;
  const isWait = WAITING.has(kind);
  const failedAt = failures.map((failure) => Date.parse(failure.failedAt));
  return {
    key: `step ${position}`,
    name,
    kind,
    calls: isWait ? 1 : attempts,
    // The journal has the start of the last call.
    from: Math.min(Date.parse(startedAt), ...failedAt),
    to: Date.parse(completedAt),
    look: error === undefined ? (isWait ? "wait" : "work") : "failed",
    failedAt,
    remark: error === undefined ? earlierCalls(failures) : `✗ ${errorText(error)}`,
    childRunId,
  };
}

function earlierCalls(failures: NonNullable<Step["failures"]>): string {
  const last = failures.at(-1);
  if (last === undefined) return "";
  return `↻ ${failures.length} earlier call${failures.length === 1 ? "" : "s"} failed, the last with ${errorText(last.error)}`;
}

/** The waits, calls and retries of a running run. */
function openLines(
  run: Run,
  begin: number,
  now: number,
  childOf: ReadonlyMap<string, string>,
  timeText: (at: Date) => string,
): TimelineLine[] {
  const waits = (run.waits ?? []) as readonly Wait[];
  const retries = (run.retries ?? []) as readonly Retry[];
  const until = (text: string | undefined): string =>
    text === undefined ? "" : `, until ${timeText(new Date(text))}`;
  const remarkOf = (wait: Wait): string =>
    wait.kind === "event"
      ? `Waits for ${wait.approval === true ? "an approval" : `event "${wait.event ?? ""}"`}${until(wait.until)}.`
      : wait.kind === "sleep"
        ? `Sleeps${until(wait.until)}.`
        : "Waits for the end of the run that it started.";
  return [
    ...waits.map((wait) => ({
      key: `wait ${wait.step}`,
      name: wait.step,
      kind: wait.kind === "event" ? "wait" : wait.kind,
      calls: 1,
      from: wait.since === undefined ? begin : Date.parse(wait.since),
      to: undefined,
      look: "wait" as const,
      failedAt: [],
      remark: remarkOf(wait),
      childRunId: childOf.get(wait.step),
    })),
    ...run.inProgress.map(({ step, attempt, since, worker }) => ({
      key: `call ${step}`,
      name: step,
      kind: "run",
      calls: attempt,
      from: Date.parse(since),
      to: undefined,
      look: "work" as const,
      failedAt: [],
      remark: `Called by ${worker}.`,
      childRunId: undefined,
    })),
    // A retry that is being called is shown as a call in progress.
    ...retries
      .filter(({ step }) => !run.inProgress.some((call) => call.step === step))
      .map((retry) => {
        const failedAt = (retry.failures ?? []).map((failure) => Date.parse(failure.failedAt));
        return {
          key: `retry ${retry.step}`,
          name: retry.step,
          kind: "run",
          calls: retry.attempts,
          from: Math.min(now, ...failedAt),
          to: undefined,
          look: "retry" as const,
          failedAt,
          remark: `↻ ${errorText(retry.error)}${
            retry.until === undefined ? "" : `; tries again ${timeText(new Date(retry.until))}`
          }`,
          childRunId: undefined,
        };
      }),
  ];
}
