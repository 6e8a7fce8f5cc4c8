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
        head: ["WORKER", "STATE", "SLOTS", "SERVES", "SDK", "STARTED", "LAST SEEN"],
        row: (worker) => [
          `${worker.host}:${worker.processId}`,
          worker.isLive ? "live" : "gone",
          `${worker.busySlots}/${worker.slots}`,
          Object.entries(worker.serves)
            .map(([name, versions]) => `${name} ${versions.join(",")}`)
            .join("; "),
          worker.sdkVersion,
          showTime(worker.startedAt),
          showTime(worker.lastSeenAt),
        ],
      });
    });
}
