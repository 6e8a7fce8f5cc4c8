/** A logger of a server whose lines a test reads. */
import type { ServerOptions } from "@oxbow/server";

type ServerLogger = Exclude<NonNullable<ServerOptions["logger"]>, boolean>;
type Level = "fatal" | "error" | "warn" | "info" | "debug" | "trace";

export interface LogLine {
  readonly level: Level;
  readonly text: string;
  readonly error: unknown;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** @param lines What the server logs is added to it. */
export function logTo(lines: LogLine[]): ServerLogger {
  const at =
    (level: Level) =>
    (facts: unknown, text?: string): void => {
      const isText = typeof facts === "string";
      const given = (isText ? {} : facts) as Readonly<Record<string, unknown>>;
      lines.push({ level, text: isText ? facts : (text ?? ""), error: given["err"], facts: given });
    };
  const logger: ServerLogger = {
    level: "trace",
    fatal: at("fatal"),
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
    trace: at("trace"),
    silent: () => {},
    child: () => logger,
  };
  return logger;
}

/** Returns the lines that need attention. */
export const troubles = (lines: readonly LogLine[]): LogLine[] =>
  lines.filter(({ level }) => level === "fatal" || level === "error" || level === "warn");
