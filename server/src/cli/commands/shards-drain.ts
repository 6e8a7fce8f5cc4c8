/** `oxbow shards drain`: moves all that a shard has to the others. */
import { drainShard, refillShard } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import { EXIT, usageError } from "../exit-codes.ts";
import { adviceFor } from "../../fleet-advice.ts";
import { remark } from "../output.ts";
import { runsText, showMoving, sparsely } from "./shards-progress.ts";

export interface DrainArguments {
  readonly to?: string;
  readonly now?: boolean;
  readonly undo?: boolean;
}

export async function drain(
  transport: Transport,
  shard: string,
  { to, now, undo }: DrainArguments,
): Promise<void> {
  if (undo === true) {
    if (to !== undefined || now === true) throw usageError("Give --undo without other options.");
    await refillShard(transport, shard);
    remark(
      `Shard "${shard}" gets starts without a home again. What has left it stays where it is.`,
    );
    return;
  }
  const moved = await drainShard(transport, {
    shard,
    target: to,
    endsLeases: now === true,
    onHomes: sparsely(({ slots, pins }) => {
      remark(`Slots at home in "${shard}": ${slots}; pinned routes: ${pins}.`);
    }),
    ...showMoving(),
  });
  remark(`No route is at home in "${shard}".`);
  remark(runsText(moved));
  for (const { runId, problem, remedy } of moved.left) {
    remark(`Run ${runId} stays: ${problem}. ${remedy}`);
  }
  for (const name of moved.behind) remark(adviceFor({ name, state: "behind" }) ?? name);
  if (moved.kept > 0 || moved.left.length > 0 || moved.behind.length > 0)
    process.exitCode = EXIT.failed;
}
