#!/usr/bin/env node
/** The command `oxbow`. */
import { Command, CommanderError } from "commander";
import { ownVersion } from "../version.ts";
import { addDevCommand } from "./commands/dev.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addQueuesCommands } from "./commands/queues.ts";
import { addRunsCommands } from "./commands/runs.ts";
import { addSchedulesCommands } from "./commands/schedules.ts";
import { addServerCommand } from "./commands/server.ts";
import { addSignalCommand } from "./commands/signal.ts";
import { addStartCommand } from "./commands/start.ts";
import { addTopicsCommands } from "./commands/topics.ts";
import { addWorkflowsCommand } from "./commands/workflows.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { describeFailure } from "./failure.ts";

const program = new Command("oxbow")
  .description("Durable workflows inside your Postgres.")
  .version(ownVersion(), "-V, --version")
  // So that `oxbow start --version 2` means the version of the workflow.
  .enablePositionalOptions()
  .showHelpAfterError("Run it with --help to see what it takes.")
  .exitOverride();
addDevCommand(program);
addStartCommand(program);
addSignalCommand(program);
addRunsCommands(program);
addWorkflowsCommand(program);
addSchedulesCommands(program);
addQueuesCommands(program);
addTopicsCommands(program);
addMigrateCommand(program);
addDoctorCommand(program);
addServerCommand(program);

// Who reads only the first lines of a list, as `head` does, has not made a mistake.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
});

try {
  await program.parseAsync();
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
