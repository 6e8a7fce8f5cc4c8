#!/usr/bin/env node
/** The command `oxbow-server`: the same as `oxbow server`, configured only by the environment. */
import { serve } from "./cli/commands/server.ts";
import { describeFailure } from "./cli/failure.ts";

try {
  await serve(undefined);
} catch (error) {
  console.error(`oxbow-server: ${describeFailure(error)}`);
  process.exitCode = 1;
}
