/** All commands of `oxbow`. */
import { Command } from "commander";
import { ownVersion } from "../version.ts";
import { addDefinitionsCommands } from "./commands/definitions/definitions.ts";
import { addApprovalsCommands } from "./commands/approvals.ts";
import { addAuditCommand } from "./commands/audit.ts";
import { addCatalogCommands } from "./commands/catalog.ts";
import { addConfigCommands } from "./commands/config.ts";
import { addDevCommand } from "./commands/dev.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addEndpointsCommands } from "./commands/endpoints.ts";
import { addExplainCommand } from "./commands/explain.ts";
import { addForkCommand } from "./commands/fork.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addQueuesCommands } from "./commands/queues.ts";
import { addReferencesCommand } from "./commands/references.ts";
import { addResourcesCommands } from "./commands/resources.ts";
import { addRunsCommands } from "./commands/runs.ts";
import { addSchedulesCommands } from "./commands/schedules.ts";
import { addServerCommand } from "./commands/server.ts";
import { addSignalCommand } from "./commands/signal.ts";
import { addStartCommand } from "./commands/start.ts";
import { addTopicsCommands } from "./commands/topics.ts";
import { addShardsCommand } from "./commands/shards.ts";
import { addWorkerCommand } from "./commands/worker.ts";
import { addWorkersCommand } from "./commands/workers.ts";
import { addWorkflowsCommand } from "./commands/workflows.ts";

export function makeProgram(): Command {
  const program = new Command("oxbow")
    .description("Durable workflows and queues in Postgres.")
    .version(ownVersion(), "-V, --version")
    // `oxbow start --version 2` is the version of the workflow.
    .enablePositionalOptions()
    .showHelpAfterError("Run the command with --help to see its arguments and options.")
    .exitOverride();
  addDevCommand(program);
  addStartCommand(program);
  addSignalCommand(program);
  addRunsCommands(program);
  addExplainCommand(program);
  addWorkflowsCommand(program);
  addWorkersCommand(program);
  addShardsCommand(program);
  addSchedulesCommands(program);
  addDefinitionsCommands(program);
  addConfigCommands(program);
  addResourcesCommands(program);
  addReferencesCommand(program);
  addCatalogCommands(program);
  addQueuesCommands(program);
  addTopicsCommands(program);
  addApprovalsCommands(program);
  addEndpointsCommands(program);
  addAuditCommand(program);
  addForkCommand(program);
  addMigrateCommand(program);
  addDoctorCommand(program);
  addServerCommand(program);
  addWorkerCommand(program);
  addMcpCommand(program);
  return program;
}
