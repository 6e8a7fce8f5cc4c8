import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printList } from "../output.ts";
import { showTime } from "../show.ts";

/** `oxbow workers`: the workers that are there, and what they serve. */
export function addWorkersCommand(program: Command): void {
  withConnection(program.command("workers"))
    .description("list the workers that were there in the last hour, and what they serve")
    .action(async (options: ConnectionOptions) => {
      const workers = await withClient(options, (client) => client.workers());
      printList(workers, options, {
        none: "No worker has reported itself in the last hour. Start one: oxbow dev",
        row: (worker) => ({
          WORKER: `${worker.host}:${worker.processId}`,
          STATE: worker.isLive ? "live" : "gone",
          SLOTS: `${worker.busySlots}/${worker.slots}`,
          SERVES: Object.entries(worker.serves)
            .map(([name, versions]) => `${name} ${versions.join(",")}`)
            .join("; "),
          SDK: worker.sdkVersion,
          STARTED: showTime(worker.startedAt),
          "LAST SEEN": showTime(worker.lastSeenAt),
        }),
      });
    });
}
