import { createInterface } from "node:readline/promises";
import { CommandFailure, EXIT, usageError } from "./exit-codes.ts";

/**
 * Asks a person whether to do what can't be undone; who isn't at a terminal has to have said `--yes`.
 *
 * @param what as in "Delete queue "mail" with 3 messages"
 */
export async function confirm(what: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError(`${what}? There is nobody to ask, so it was not done: add --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${what}? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new CommandFailure(EXIT.failed, "NOT_CONFIRMED", "Nothing was done.");
}
