/**
 * How `oxbow` ends, as scripts see it; docs/reference/cli.md has the same table.
 *
 * What was asked is done (0), failed (1), was asked wrongly (2), is about something that isn't there (3), waited for a
 * run that failed or was cancelled (4), took longer than it was to (5), or doesn't fit the state of things (6).
 */
import { OxbowError } from "@oxbow/sdk";
import { CommanderError } from "commander";

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  endedOtherwise: 4,
  timedOut: 5,
  conflict: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that ends otherwise than done, and why. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: ExitCode;
  /** Stable, for `--json`. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** What was given to a command makes no sense. */
export const usageError = (message: string): CommandFailure =>
  new CommandFailure(EXIT.usage, "USAGE", message);

/** What was asked doesn't fit the state of things. */
export const conflict = (code: string, message: string): CommandFailure =>
  new CommandFailure(EXIT.conflict, code, message);

const CODES: Readonly<Record<string, ExitCode>> = {
  INVALID_ARGUMENT: EXIT.usage,
  INVALID_NAME: EXIT.usage,
  VALIDATION_FAILED: EXIT.usage,
  SERIALIZATION_FAILED: EXIT.usage,
  PAYLOAD_TOO_LARGE: EXIT.usage,
  WRONG_QUEUE_KIND: EXIT.usage,
  RUN_NOT_FOUND: EXIT.notFound,
  QUEUE_NOT_FOUND: EXIT.notFound,
  SCHEDULE_NOT_FOUND: EXIT.notFound,
  RUN_FAILED: EXIT.endedOtherwise,
  RUN_CANCELLED: EXIT.endedOtherwise,
  DEADLINE_EXCEEDED: EXIT.timedOut,
  IDEMPOTENCY_CONFLICT: EXIT.conflict,
  QUEUE_EXISTS: EXIT.conflict,
  QUEUE_IN_USE: EXIT.conflict,
};

const HELP = new Set(["commander.helpDisplayed", "commander.version"]);

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof CommanderError) return HELP.has(error.code) ? EXIT.done : EXIT.usage;
  if (error instanceof OxbowError) return CODES[error.code] ?? EXIT.failed;
  return EXIT.failed;
}
