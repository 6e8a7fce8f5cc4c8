/**
 * The output of a worker without a logger: a line on standard error for each failed step and each failed run.
 *
 * Promises:
 *   F1  A line names the run, its workflow, the step if known, and the cause. A message of several lines becomes one, and
 *       control characters are removed.
 *   F2  At most MOST_LINES lines for steps and for runs in each WINDOW_MS; then a line counts the other failures.
 *   F3  A workflow that doesn't await its steps is named once.
 */
import { type ErrorRecord, toErrorRecord } from "../core/error-record.ts";
import type { Emitter } from "../core/events.ts";
import { startTimer } from "../async/timer.ts";
import type { RunFacts, WorkerEvents } from "./events.ts";
import { awaitAdvice, journalAdvice } from "./run-log.ts";

const MOST_LINES = 10;
const WINDOW_MS = 10_000;
const MOST_CHARACTERS = 500;

type Write = (line: string) => void;

/** Prints failures until the returned function is called, which prints the counts held back. */
export function printFailures(
  events: Emitter<WorkerEvents>,
  write: Write = (line) => void process.stderr.write(line),
): () => void {
  const steps = new LimitedLines("more attempts of steps", write);
  const runs = new LimitedLines("more runs", write);
  const told = new Set<string>();
  const failedSteps = new Map<string, string>();
  const forget = ({ runId }: RunFacts): void => void failedSteps.delete(runId);
  const tellFailure = (facts: RunFacts & { readonly error: ErrorRecord }, what: string): void => {
    const { workflow, runId, error } = facts;
    const step = failedSteps.get(runId);
    const where = step === undefined ? "" : ` in step ${quoted(step)}`;
    runs.print(`run ${runId} of ${quoted(workflow)} ${what}${where}: ${causeOf(error)}`);
    forget(facts);
  };
  const stops = [
    events.on("stepFailed", ({ workflow, runId, step, attempt, error }) => {
      failedSteps.set(runId, step);
      steps.print(
        `step ${quoted(step)} of run ${runId} of ${quoted(workflow)} failed (attempt ${attempt}): ${causeOf(error)}`,
      );
    }),
    events.on("stepSucceeded", (facts) => {
      if (failedSteps.get(facts.runId) === facts.step) forget(facts);
    }),
    events.on("runFailed", (facts) => tellFailure(facts, "failed")),
    events.on("runRetried", (facts) => tellFailure(facts, "failed, and is tried again,")),
    events.on("journalGrown", ({ runId, workflow, ...size }) => {
      write(`oxbow: run ${runId} of ${quoted(workflow)}: ${journalAdvice(size)}\n`);
    }),
    events.on("stepsNotAwaited", ({ runId, workflow, steps: names }) => {
      if (told.has(workflow)) return;
      told.add(workflow);
      write(`oxbow: run ${runId} of ${quoted(workflow)}: ${onOneLine(awaitAdvice(names))}\n`);
    }),
    events.on("runCompleted", forget),
    events.on("runContinued", forget),
    events.on("runSuspended", forget),
    events.on("runDropped", forget),
  ];
  return () => {
    for (const stop of stops) stop();
    steps.close();
    runs.close();
  };
}

class LimitedLines {
  readonly #others: string;
  readonly #write: Write;
  #printed = 0;
  #heldBack = 0;
  #stopTimer: (() => void) | undefined;

  constructor(others: string, write: Write) {
    this.#others = others;
    this.#write = write;
  }

  print(line: string): void {
    this.#stopTimer ??= startTimer(WINDOW_MS, () => this.close(), { keepsAlive: false });
    if (this.#printed === MOST_LINES) {
      this.#heldBack += 1;
      return;
    }
    this.#printed += 1;
    this.#write(`oxbow: ${line}\n`);
  }

  close(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#heldBack > 0) {
      this.#write(
        `oxbow: ${this.#heldBack} ${this.#others} failed. Give the worker a \`logger\` to see each.\n`,
      );
    }
    this.#printed = 0;
    this.#heldBack = 0;
  }
}

const quoted = (name: string): string => `"${onOneLine(name)}"`;

function causeOf(error: unknown): string {
  const { name, message, cause } = toErrorRecord(error);
  // The line names the step already.
  if (name === "StepFailed" && cause !== undefined) return causeOf(cause);
  return onOneLine(name === "NonError" ? message : `${name}: ${message}`);
}

function onOneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}
