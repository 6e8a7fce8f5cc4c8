/** A logger for log collectors: one line of JSON an entry, to standard output. */

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];

export interface JsonLoggerOptions {
  /** The lowest level that is written. Default "info". */
  readonly level?: LogLevel;
  /** Receives each line, without a line end. Default: writes to standard output. */
  readonly write?: (line: string) => void;
}

type Log = (message: string, fields?: object) => void;

/**
 * Creates a logger for `createWorker` and consumers that writes one line of JSON an entry.
 *
 * @example
 * createWorker({ workflows, logger: jsonLogger() });
 * // {"time":"2026-01-01T12:00:00.000Z","level":"info","message":"charged","workflow":"order","runId":"7","step":"charge"}
 */
export function jsonLogger({
  level: least = "info",
  write = toStandardOutput,
}: JsonLoggerOptions = {}): Readonly<Record<LogLevel, Log>> {
  const at =
    (level: LogLevel): Log =>
    (message, fields) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      write(lineOf({ time: new Date().toISOString(), level, message }, fields));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function lineOf(head: Readonly<Record<string, string>>, fields: object | undefined): string {
  try {
    return JSON.stringify({ ...head, ...fields, ...head }, tellable);
  } catch {
    // Logging must not fail: circular values are omitted.
    return JSON.stringify({ ...head, fields: "could not be written as JSON" });
  }
}

function tellable(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}

const toStandardOutput = (line: string): void => void process.stdout.write(`${line}\n`);
