#!/usr/bin/env node
/** The command `oxbow`. */
import { CommanderError } from "commander";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { describeFailure } from "./failure.ts";
import { makeProgram } from "./program.ts";

// Who reads only the first lines of a list, as `head` does, has not made a mistake.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
});

try {
  await makeProgram().parseAsync();
} catch (error) {
  tell(error);
  process.exitCode = exitCodeOf(error);
}

/** Commander has told its own errors already; one without words has printed what there is to know. */
function tell(error: unknown): void {
  if (error instanceof CommanderError) return;
  const message = describeFailure(error);
  if (message === "") return;
  if (process.argv.includes("--json")) {
    const { code } = error as { readonly code?: unknown };
    console.error(JSON.stringify({ error: { code: code ?? "ERROR", message } }));
  } else console.error(`oxbow: ${message}`);
}
