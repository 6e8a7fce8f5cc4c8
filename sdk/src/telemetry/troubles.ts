/** Reports failures of background work. */
import { messageOf } from "../core/error-record.ts";
import { observe } from "../core/events.ts";
import { warn } from "../core/host.ts";
import type { Logger } from "../definition/context.ts";

interface Log {
  error(message: string): void;
}

/**
 * Returns a function that reports failures to a log, or as warnings of the process. It reports a lasting failure once.
 */
export function troubleReporter(log: Log | undefined): (doing: string, error: unknown) => void {
  let last = "";
  return (doing, error) => {
    const message = `${doing}: ${messageOf(error)}`;
    if (message === last) return;
    last = message;
    if (log === undefined) warn(message);
    else log.error(`oxbow: ${message}`);
  };
}

/** A logger that never fails: an error of the given one becomes a warning of the process. */
export function guarded(logger: Logger): Logger {
  const onError = troubleReporter(undefined);
  const at =
    (level: keyof Logger): Logger["info"] =>
    (...entry) =>
      observe(
        () => logger[level](...entry),
        (error) => onError("writing log entries", error),
      );
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
