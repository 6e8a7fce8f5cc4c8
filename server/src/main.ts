#!/usr/bin/env node
/** The command `oxbow-server`: the same as `oxbow server`, configured only by the environment. */
import { serve } from "./cli/commands/server.ts";
import { describeFailure } from "./cli/failure.ts";
import { remark } from "./cli/output.ts";

try {
  await serve(undefined);
} catch (error) {
  remark(`oxbow-server: ${describeFailure(error)}`);
  process.exitCode = 1;
}
