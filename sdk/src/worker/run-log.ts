/** Log lines of runs: each says which run it is about, and in which step and trace it was written. */
import { currentScope } from "../async/callback-scope.ts";
import type { Emitter } from "../core/events.ts";
import type { Logger } from "../definition/context.ts";
import { activeTrace } from "../telemetry/tracer.ts";
import type { RunFacts, WorkerEvents } from "./events.ts";

/** What `ctx.logger` writes to. What the caller says of the same name wins. */
export function runLogger(logger: Logger, { workflow, version, runId }: RunFacts): Logger {
  const at =
    (level: keyof Logger) =>
    (message: string, fields?: object): void => {
      const scope = currentScope();
      logger[level](message, {
        workflow,
        version,
        runId,
        ...(scope?.runId === runId ? { step: scope.step, attempt: scope.attempt } : {}),
        ...activeTrace(),
        ...(fields instanceof Error ? { error: fields } : fields),
      });
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What goes wrong with runs; that they go well is told by `worker.events`, since it may be thousands a second. */
export function logRuns(events: Emitter<WorkerEvents>, logger: Logger): void {
  events.on("stepFailed", (facts) => {
    logger.warn(`oxbow: step "${facts.step}" failed`, { ...facts, ...activeTrace() });
  });
  events.on("runFailed", (facts) => {
    logger.error("oxbow: the run failed", { ...facts, ...activeTrace() });
  });
  events.on("runRetried", ({ resumeAt, ...facts }) => {
    const at = new Date(resumeAt).toISOString();
    logger.warn(`oxbow: the run failed, and is tried again at ${at}`, {
      ...facts,
      ...activeTrace(),
    });
  });
  events.on("runDropped", (facts) => {
    if (facts.reason !== "lost" && facts.reason !== "failed") return;
    logger.warn(`oxbow: the run was dropped: ${facts.reason}`, { ...facts, ...activeTrace() });
  });
}
