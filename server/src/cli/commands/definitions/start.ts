/** `oxbow definitions start`: a run of the published version, or of another one. */
import type { Command } from "commander";
import { type ConnectionOptions, withConnection } from "../../connection.ts";
import { printJson, printText } from "../../output.ts";
import { readJson, wholeNumber } from "../../values.ts";
import { withDefinitions } from "./connection.ts";
import { defined } from "../../../defined.ts";

interface StartArguments extends ConnectionOptions {
  readonly key?: string;
  readonly version?: number;
}

export function addStartCommand(definitions: Command): void {
  withConnection(definitions.command("start"))
    .description("start a run of a definition")
    .argument("<definition>", "name of the definition")
    .argument("[input]", "input as JSON; - reads it from standard input")
    .option("--key <key>", "idempotency key: an existing run with this key is returned instead")
    .option("--version <number>", "version (default: the published one)", wholeNumber("--version"))
    .action(async (name: string, text: string | undefined, options: StartArguments) => {
      const input = await readJson(text, `the input of definition "${name}"`);
      const { key, version } = options;
      const run = await withDefinitions(options, (client) =>
        client.start(name, input, defined({ idempotencyKey: key, version })),
      );
      const { runId, created, initialStatus: status } = run;
      if (options.json === true) printJson({ runId, definition: name, created, status });
      else if (created) printText(`Started run ${runId} of ${name}.`);
      else printText(`Run ${runId} of ${name} already has the key "${key}"; it is ${status}.`);
    });
}
