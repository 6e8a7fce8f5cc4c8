/** `oxbow shards checkpoint`: backups of all shards of a fleet that belong together. */
import {
  createRestorePoints,
  type HeldShard,
  passFullSecond,
  whileRelaysAreHeld,
} from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import { CommandFailure, EXIT, usageError } from "../exit-codes.ts";
import { printJson, printRows, remark } from "../output.ts";
import { executeShellCommand } from "../shell-command.ts";

export interface CheckpointArguments {
  readonly name?: string;
  readonly byTime?: boolean;
  readonly run?: string;
  readonly json?: boolean;
}

/** Less than the time after which a shard ends a hold by itself. */
const MAX_COMMAND_MS = 30_000;

/** The target of a restore. */
interface Checkpoint {
  /** Without `time`. */
  readonly name?: string;
  /** For `recovery_target_time`. */
  readonly time?: string;
  readonly shards: readonly { readonly shard: string; readonly lsn?: string }[];
}

export async function takeCheckpoint(
  { fleet }: Transport,
  options: CheckpointArguments,
): Promise<void> {
  if (fleet === undefined) throw new Error("A checkpoint is one of a fleet.");
  const name = options.name ?? `oxbow-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  if (!/^[\w.-]{1,63}$/.test(name)) {
    throw usageError(
      `Invalid name "${name}": give 1 to 63 characters of A-Z, a-z, 0-9, _, . and -.`,
    );
  }
  if (options.byTime === true && options.run !== undefined) {
    throw usageError("Give one of --by-time and --run.");
  }
  if (options.byTime === true && options.name !== undefined) {
    throw usageError("Give one of --by-time and --name: a time has no name.");
  }
  const startedAt = performance.now();
  const taken = await whileRelaysAreHeld(fleet, (held) => copy(held, name, options)).catch(
    (error: unknown) => {
      remark(
        "There is no checkpoint: don't restore shards to what this command has made, and give the next one another name.",
      );
      throw error;
    },
  );
  const ms = Math.round(performance.now() - startedAt);
  if (options.json === true) printJson(taken);
  else show(taken);
  remark(`Items between shards were held for ${ms} ms at most; nothing else was.`);
}

async function copy(
  held: readonly HeldShard[],
  name: string,
  { byTime, run }: CheckpointArguments,
): Promise<Checkpoint> {
  const shards = held.map(({ name: shard }) => ({ shard }));
  if (run !== undefined) {
    const problem = await executeShellCommand(run, {
      env: { OXBOW_CHECKPOINT: name },
      withinMs: MAX_COMMAND_MS,
    });
    if (problem === undefined) return { name, shards };
    throw new CommandFailure(EXIT.failed, "CHECKPOINT_FAILED", `The command of --run ${problem}.`);
  }
  if (byTime === true) return { time: asPostgresReads(await passFullSecond(held)), shards };
  return { name, shards: await createRestorePoints(held, name) };
}

/** A setting of the server takes no Z, and a full second has no fraction. */
const asPostgresReads = (time: Date): string =>
  time.toISOString().replace("T", " ").replace(".000Z", "+00");

function show({ name, time, shards }: Checkpoint): void {
  printRows(
    shards.map(({ shard, lsn }) => ({
      SHARD: shard,
      "RESTORE POINT": lsn === undefined ? "" : name,
      LSN: lsn,
      TIME: time,
    })),
  );
}
