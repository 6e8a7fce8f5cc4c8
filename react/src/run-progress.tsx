"use client";
import type { StepUnderWay, WatchedError, WatchedStep } from "@oxbow/sdk/browser";
import type { ReactElement, ReactNode } from "react";
import { type LiveRun, useRun, type UseRunOptions } from "./use-run.ts";

/** The words of `<RunProgress>`. */
export interface RunText {
  /** Until the first answer. */
  readonly connecting: string;
  /** While the page has lost its connection. */
  readonly reconnecting: string;
  /** The server refuses the page, as for a token that has expired. */
  readonly refused: string;
  readonly running: string;
  readonly waiting: string;
  readonly queued: string;
  readonly paused: string;
  readonly completed: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly stepDone: string;
  readonly stepFailed: string;
  readonly stepRunning: string;
  readonly attempts: (count: number) => string;
}

const TEXT: RunText = {
  connecting: "Connecting",
  reconnecting: "Reconnecting",
  refused: "This run can't be shown",
  running: "Running",
  waiting: "Waiting",
  queued: "Queued",
  paused: "Paused",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  stepDone: "done",
  stepFailed: "failed",
  stepRunning: "running",
  attempts: (count) => `${count} attempts`,
};

interface ProgressProps {
  /** Besides `oxbow-run`. */
  readonly className?: string | undefined;
  /** In place of the English text. */
  readonly text?: Partial<RunText> | undefined;
  /** Returns the title of a step, by its name. Null leaves it out. Default: the name. */
  readonly nameStep?: ((name: string) => ReactNode) | undefined;
  /** Returns the text for the error of a run. Null leaves it out. Default: its message. */
  readonly nameError?: ((error: WatchedError) => ReactNode) | undefined;
}

/** A run that `useRun` has returned, or the id of one with the options of `useRun`. */
export type RunProgressProps = ProgressProps &
  (
    | { readonly run: LiveRun; readonly runId?: undefined }
    | ({ readonly runId: string | undefined; readonly run?: undefined } & UseRunOptions)
  );

/**
 * Shows the status of a run, its steps and its error: a status that screen readers announce, and an ordered list. Its
 * classes begin with `oxbow-run`; `@oxbow/react/style.css` has a plain style for them.
 *
 * @example
 * <RunProgress runId={runId} nameStep={(name) => TITLES[name] ?? null} />
 */
export function RunProgress(props: RunProgressProps): ReactElement {
  return props.run === undefined ? <Followed {...props} /> : <Progress {...props} />;
}

function Followed(props: ProgressProps & UseRunOptions & { readonly runId: string | undefined }) {
  const { runId, url, token, initial, ...shown } = props;
  return <Progress {...shown} run={useRun(runId, { url, token, initial })} />;
}

function Progress({
  run,
  className,
  text: given,
  nameStep = ownName,
  nameError = ownMessage,
}: ProgressProps & { readonly run: LiveRun }): ReactElement {
  const text = { ...TEXT, ...given };
  const { status, steps, inProgress, error } = run;
  const trouble = error === null ? null : nameError(error);
  return (
    <div
      className={className === undefined ? "oxbow-run" : `oxbow-run ${className}`}
      data-status={status ?? "unknown"}
    >
      <p className="oxbow-run-status" role="status" aria-live="polite">
        {statusOf(run, text)}
      </p>
      <ol className="oxbow-run-steps">
        {steps.map((step) => (
          <Step key={step.name} title={nameStep(step.name)} {...endOf(step, text)} />
        ))}
        {inProgress.map((step) => (
          <Step key={`running ${step.step}`} title={nameStep(step.step)} {...nowOf(step, text)} />
        ))}
      </ol>
      {trouble !== null && (
        <p className="oxbow-run-error" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}

const ownName = (name: string): ReactNode => name;
const ownMessage = ({ message }: WatchedError): ReactNode => message;

interface StepFacts {
  readonly state: "done" | "failed" | "running";
  readonly label: string;
  readonly attempts: string | undefined;
}

const endOf = ({ error, attempts }: WatchedStep, text: RunText): StepFacts => ({
  state: error === undefined ? "done" : "failed",
  label: error === undefined ? text.stepDone : text.stepFailed,
  attempts: attempts > 1 ? text.attempts(attempts) : undefined,
});

const nowOf = ({ attempt }: StepUnderWay, text: RunText): StepFacts => ({
  state: "running",
  label: text.stepRunning,
  attempts: attempt > 1 ? text.attempts(attempt) : undefined,
});

function Step({ title, state, label, attempts }: StepFacts & { readonly title: ReactNode }) {
  if (title === null || title === undefined) return null;
  return (
    <li
      className="oxbow-run-step"
      data-state={state}
      aria-current={state === "running" ? "step" : undefined}
    >
      <span className="oxbow-run-step-name">{title}</span>{" "}
      <span className="oxbow-run-step-state">
        {attempts === undefined ? label : `${label}, ${attempts}`}
      </span>
    </li>
  );
}

/** The texts of activities; all others read as running. */
const ACTIVITIES: Readonly<Record<string, "waiting" | "queued" | "paused">> = {
  waiting: "waiting",
  sleeping: "waiting",
  queued: "queued",
  paused: "paused",
  pausing: "paused",
};

function statusOf(run: LiveRun, text: RunText): string {
  const { runId, status, activity, isReconnecting, refusal } = run;
  if (runId === undefined) return "";
  if (status !== undefined && status !== "running") return text[status];
  if (refusal !== null) return text.refused;
  if (status === undefined) return text.connecting;
  if (isReconnecting) return text.reconnecting;
  return text[ACTIVITIES[activity ?? ""] ?? "running"];
}
