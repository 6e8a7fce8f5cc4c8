/** Where people read what goes wrong in the background. */
interface Log {
  error(message: string): void;
}

/**
 * Tells troubles to a log, or else as warnings of the process. One that lasts is told once.
 */
export function troubleTeller(log: Log | undefined): (doing: string, error: unknown) => void {
  let last = "";
  return (doing, error) => {
    const message = `${doing}: ${error instanceof Error ? error.message : String(error)}`;
    if (message === last) return;
    last = message;
    if (log === undefined) process.emitWarning(message, "OxbowWarning");
    else log.error(`oxbow: ${message}`);
  };
}
