#!/usr/bin/env node
/** The command `oxbow`. */
import { execute } from "./execute.ts";
import { EXIT } from "./exit-codes.ts";

// A reader like `head` may close the pipe after the first lines.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
});

await execute(process.argv.slice(2));
