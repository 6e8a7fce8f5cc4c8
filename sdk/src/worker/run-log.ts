/** Log entries of runs: each contains its run, its workflow, and the step and trace in which it was written. */
import { currentScope } from "../async/callback-scope.ts";
import { type Emitter, observe, warnOf } from "../core/events.ts";
import type { Logger } from "../definition/context.ts";
import { JOURNAL_LIMIT, type JournalSize } from "../protocol/journal.ts";
import { activeTrace } from "../telemetry/tracer.ts";
import { listNames } from "../replay/drift.ts";
import type { RunFacts, WorkerEvents } from "./events.ts";

/**
 * The logger behind `ctx.logger`. Fields of the caller override those of the run. A logger that throws, or
 * returns a promise that is rejected, is reported as trouble: no run fails by it.
 */
export function runLogger(
  logger: Logger,
  { workflow, version, runId }: RunFacts,
  onTrouble: (doing: string, error: unknown) => void,
): Logger {
  const at =
    (level: keyof Logger) =>
    (message: string, fields?: object): void => {
      const scope = currentScope();
      const write = (): void =>
        logger[level](message, {
          workflow,
          version,
          runId,
          ...(scope?.runId === runId ? { step: scope.step, attempt: scope.attempt } : {}),
          ...activeTrace(),
          ...(fields instanceof Error ? { error: fields } : fields),
        });
      observe(write, (error) => onTrouble("writing log entries of runs", error));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Logs failures of runs. Successes, which may be thousands a second, are only events of `worker.events`. */
export function logRuns(events: Emitter<WorkerEvents>, logger: Logger): void {
  const log = (level: "warn" | "error", message: string, facts: object): void =>
    observe(() => logger[level](`oxbow: ${message}`, { ...facts, ...activeTrace() }), warnOf);
  events.on("stepFailed", (facts) => log("warn", `step "${facts.step}" failed`, facts));
  events.on("runFailed", (facts) => log("error", "the run failed", facts));
  events.on("runRetried", ({ resumeAt, ...facts }) => {
    const at = new Date(resumeAt).toISOString();
    log("warn", `the run failed, and is tried again at ${at}`, facts);
  });
  events.on("journalGrown", (facts) => log("warn", journalAdvice(facts), facts));
  events.on("stepsNotAwaited", (facts) => log("warn", awaitAdvice(facts.steps), facts));
  events.on("runDropped", (facts) => {
    if (facts.reason !== "lost" && facts.reason !== "failed") return;
    log("warn", `the run was dropped: ${facts.reason}`, facts);
  });
}

/** Describes a journal that has become large, and what to do. */
export const journalAdvice = ({ rows, bytes }: JournalSize): string =>
  `the journal of the run has ${rows} rows and about ${toMebibytes(bytes)} MiB, of at most ${JOURNAL_LIMIT.rows} rows ` +
  `and ${toMebibytes(JOURNAL_LIMIT.bytes)} MiB; each resume reads all of it. ` +
  "Return ctx.continueAsNew(input) from time to time, or move work to child runs with step.invoke.";

/** Describes steps that were asked for and never awaited, and what to do. */
export const awaitAdvice = (steps: readonly string[]): string =>
  `the run completed, and its body has never awaited step ${listNames(steps)}, which may not have executed. ` +
  "Await each step; `strict: true` of the workflow fails such runs.";

const toMebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
