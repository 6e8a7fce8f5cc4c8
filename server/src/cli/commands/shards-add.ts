/** `oxbow shards add` and `open`: one more shard, while the fleet works. */
import { addShard, openShard, requireRelease } from "@oxbow/fleet/internal";
import { migrate, releaseState } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { remark } from "../output.ts";
import { toShard, toShards } from "./shard-urls.ts";

export function addJoiningCommands(command: Command): void {
  command
    .command("add")
    .description("add a shard to the fleet: nothing is at home there before it is opened")
    .argument("<shard>", "name=postgres://... of the new one, a database without runs")
    .argument(
      "[shards...]",
      "name=postgres://... of each shard of the fleet (default: QUEUE_SHARDS)",
    )
    .action(async (given: string, shards: string[]) => {
      const added = toShard(given);
      const others = toShards(shards).filter(({ name }) => name !== added.name);
      await requireRelease(others, await releaseState());
      await migrate(added.url);
      const map = await addShard(others, added);
      const blocks = map.shards.find(({ name }) => name === added.name)?.blocks.join(", ");
      remark(
        `Shard "${added.name}" is in the fleet, with block ${blocks}. Give its url to all clients, workers and servers, then run \`oxbow shards open ${added.name}\`.`,
      );
    });
  command
    .command("open")
    .description(
      "open a shard that was added, once all clients, workers and servers have its url: runs start there, and routes may move there",
    )
    .argument("<shard>", "name of the shard")
    .argument("[shards...]", "name=postgres://... of each shard (default: QUEUE_SHARDS)")
    .action(async (name: string, shards: string[]) => {
      const { first, last } = await openShard(toShards(shards), name);
      remark(
        `Shard "${name}" is open. For its part of the routes, run \`oxbow shards move --slots ${first}-${last} --to ${name}\`.`,
      );
    });
}
