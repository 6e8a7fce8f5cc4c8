#!/usr/bin/env node
/** The command `oxbow`. */
import { Command } from "commander";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addServerCommand } from "./commands/server.ts";
import { describeFailure } from "./failure.ts";

const program = new Command("oxbow").description("Durable workflows inside your Postgres.");
addMigrateCommand(program);
addDoctorCommand(program);
addServerCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  console.error(`oxbow: ${describeFailure(error)}`);
  process.exitCode = 1;
}
