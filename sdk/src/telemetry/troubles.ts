/** Reports failures of background work. */
import { messageOf } from "../core/error-record.ts";
import { observe, warnOf } from "../core/events.ts";
import { warn } from "../core/host.ts";

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
    else observe(() => log.error(`oxbow: ${message}`), warnOf);
  };
}
