/**
 * Exit codes of `oxbow`, a stable interface for scripts; docs/reference/cli.md describes each. The error catalogue maps
 * errors of the SDK to them.
 */
import { OxbowError } from "@oxbow/sdk";
import { ERROR_CATALOGUE, type Outcome } from "@oxbow/sdk/internal/server";
import { CommanderError } from "commander";

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  endedOtherwise: 4,
  timedOut: 5,
  conflict: 6,
} as const satisfies Record<Outcome | "done", number>;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command failed: its exit code, and the error to print. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: ExitCode;
  /** Stable; printed with `--json`. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** The arguments of a command are invalid. */
export const usageError = (message: string): CommandFailure =>
  new CommandFailure(EXIT.usage, "USAGE", message);

/** What the arguments name does not exist. */
export const notFound = (code: string, message: string): CommandFailure =>
  new CommandFailure(EXIT.notFound, code, message);

/** The current state does not permit the request. */
export const conflict = (code: string, message: string): CommandFailure =>
  new CommandFailure(EXIT.conflict, code, message);

const HELP = new Set(["commander.helpDisplayed", "commander.version"]);

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof CommanderError) return HELP.has(error.code) ? EXIT.done : EXIT.usage;
  if (error instanceof OxbowError) return EXIT[ERROR_CATALOGUE[error.code].outcome ?? "failed"];
  return EXIT.failed;
}
