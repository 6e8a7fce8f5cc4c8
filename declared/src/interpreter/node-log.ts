/** What a test of one node shows besides its end: the lines that it logged, and its input. */
import type { Logger } from "@oxbow/sdk/runtime";
import type { Json } from "../document/json.ts";
import { handlerReader } from "../nodes/parameters.ts";

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
}

const MOST_LINES = 100;

/** A logger that also keeps the first lines. */
export function keepingLines(logger: Logger, lines: LogLine[]): Logger {
  const keeping =
    (level: keyof Logger): Logger["info"] =>
    (message, fields) => {
      if (lines.length < MOST_LINES) lines.push({ level, message });
      logger[level](message, fields);
    };
  return {
    debug: keeping("debug"),
    info: keeping("info"),
    warn: keeping("warn"),
    error: keeping("error"),
  };
}

/** The input of a node, for display. */
export function inputOf(params: Json, variables: Readonly<Record<string, unknown>>): Json {
  try {
    return handlerReader(params)(variables);
  } catch {
    return null;
  }
}
