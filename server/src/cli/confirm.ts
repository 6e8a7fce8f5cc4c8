import { createInterface } from "node:readline/promises";
import { CommandFailure, EXIT, usageError } from "./exit-codes.ts";

/**
 * Asks for confirmation of a change that can't be undone. Without a terminal, `--yes` is required.
 *
 * @param what for instance "Delete queue "mail" with 3 messages"
 */
export async function confirm(what: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError(`${what}? Not done, because there is no terminal to confirm it: add --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${what}? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new CommandFailure(EXIT.failed, "NOT_CONFIRMED", "Cancelled; nothing was changed.");
}
