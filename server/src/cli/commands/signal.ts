import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { conflict } from "../exit-codes.ts";
import { printJson, printText } from "../output.ts";
import { readJson } from "../values.ts";

/** `oxbow signal`: sends an event to a run. */
export function addSignalCommand(program: Command): void {
  withConnection(program.command("signal"))
    .description("send an event to a run")
    .argument("<run>", "id of the run")
    .argument("<event>", "name of the event")
    .argument("[payload]", "payload as JSON; - reads it from standard input")
    .option("--deduplication-id <id>", "a later signal with the same id has no effect")
    .action(
      async (
        runId: string,
        event: string,
        given: string | undefined,
        options: ConnectionOptions & { readonly deduplicationId?: string },
      ) => {
        const payload = await readJson(given, `the payload of event "${event}"`);
        const { deduplicationId } = options;
        const outcome = await withClient(options, (client) =>
          client.signal(runId, event, payload, { deduplicationId }),
        );
        if (options.json === true) printJson({ runId, event, outcome });
        if (outcome === "ignored") {
          throw conflict("RUN_ENDED", `Run ${runId} has ended, so "${event}" was ignored.`);
        }
        if (options.json === true) return;
        if (outcome === "sent") {
          printText(`Sent "${event}" to run ${runId}, which is in another shard.`);
          return;
        }
        printText(
          outcome === "delivered"
            ? `Delivered "${event}" to run ${runId}.`
            : `Run ${runId} doesn't wait for "${event}" yet. The event is kept until it does.`,
        );
      },
    );
}
