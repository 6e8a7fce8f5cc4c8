/**
 * One moment of all shards of a fleet, for backups that belong together. Only relays carry anything from one shard to
 * another, so whatever is copied of the shards while all of them hold their relays has no effect without its cause.
 */
import { InvalidArgument } from "@oxbow/sdk";
import type {
  FleetAccess,
  ShardLane,
  ShardTransport,
  TransactionClient,
} from "@oxbow/sdk/internal/fleet";
import { byName } from "../transport/merging.ts";
import { callsOf } from "../transport/require-shard.ts";
import { shardsBeyond } from "../transport/shard-map.ts";

/** A shard at which nothing arrives from the others. */
export interface HeldShard {
  readonly name: string;
  /** Its hold ends with it. */
  readonly tx: TransactionClient;
}

/**
 * Works while all shards hold their relays, which wait for it. Everything else continues. Shards are held in the order
 * of their names, so of two concurrent checkpoints, one waits for the other.
 *
 * @throws InvalidArgument if shards of the fleet are missing; any error if a hold has ended before the work: then nothing
 *   of it may be used
 */
export async function whileRelaysAreHeld<Result>(
  { lanes }: FleetAccess,
  work: (held: readonly HeldShard[]) => Promise<Result>,
): Promise<Result> {
  const never = new AbortController().signal;
  const ordered = lanes.toSorted(byName);
  const hold = async (held: readonly HeldShard[]): Promise<Result> => {
    const lane = ordered[held.length];
    if (lane === undefined) return work(held);
    const shard = callsOf(lane);
    let result: { readonly value: Result } | undefined;
    await shard.transaction(async (tx) => {
      await shard.holdRelays(tx);
      await requireAllShards(shard, lanes, tx);
      result = { value: await hold([...held, { name: lane.name, tx }]) };
    }, never);
    if (result === undefined) throw new Error("The transaction has committed without its work.");
    return result.value;
  };
  return hold([]);
}

async function requireAllShards(
  shard: ShardTransport,
  lanes: readonly ShardLane[],
  tx: TransactionClient,
): Promise<void> {
  const map = await shard.map(tx);
  const missing = map === undefined ? [] : shardsBeyond(map, lanes);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => `"${name}"`).join(", ");
  throw new InvalidArgument(
    `The fleet has more shards, ${names}: give the urls of all, since a checkpoint needs all of them.`,
  );
}

export interface RestorePoint {
  readonly shard: string;
  /** Where it is in the log of the shard. */
  readonly lsn: string;
}

/** @throws InvalidArgument for a shard whose user may not create them. */
export function createRestorePoints(
  held: readonly HeldShard[],
  name: string,
): Promise<RestorePoint[]> {
  return Promise.all(
    held.map(async ({ name: shard, tx }) => {
      try {
        const { rows } = await tx.query(CREATE_RESTORE_POINT, [name]);
        const [row] = rows as [{ readonly lsn: string }];
        return { shard, lsn: row.lsn };
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== NOT_PERMITTED) throw error;
        throw new InvalidArgument(
          `The user of shard "${shard}" may not create restore points. As a superuser, run \`grant execute on function pg_create_restore_point(text) to\` that user; where no one may, take a checkpoint by time.`,
          { cause: error },
        );
      }
    }),
  );
}

const CREATE_RESTORE_POINT = "select pg_catalog.pg_create_restore_point($1)::text as lsn";
const NOT_PERMITTED = "42501";
/** So that a checkpoint by time holds no relay for long. */
const MAX_CLOCK_GAP_MS = 5_000;
/** Commits that wait for the end of the hold get a later time. */
const MARGIN_MS = 10;

/**
 * Waits until the next full second of all shards has passed, and returns that second. All that has arrived so far
 * was sent before the last of them was held, so effects and causes are older, each by the clock of its shard; items that
 * arrive after the hold are younger.
 *
 * @param held All shards. Clocks that were read earlier would not do: while some are not held yet, items arrive.
 * @throws InvalidArgument if the clocks differ too much
 */
export async function passFullSecond(held: readonly HeldShard[]): Promise<Date> {
  const clocks = await Promise.all(held.map(readClock));
  const [first, last] = [Math.min(...clocks), Math.max(...clocks)];
  if (last - first > MAX_CLOCK_GAP_MS) {
    throw new InvalidArgument(
      `The clocks of the shards differ by ${last - first} ms: synchronize them, or create restore points.`,
    );
  }
  const second = new Date(Math.floor(last / 1_000) * 1_000 + 1_000);
  const until = new Date(second.getTime() + MARGIN_MS).toISOString();
  await Promise.all(
    held.map(({ tx }) => tx.query("select pg_catalog.pg_sleep_until($1::timestamptz)", [until])),
  );
  return second;
}

/** In whole milliseconds. */
async function readClock({ tx }: HeldShard): Promise<number> {
  const { rows } = await tx.query(READ_CLOCK, []);
  const [row] = rows as [{ readonly ms: number }];
  return row.ms;
}

const READ_CLOCK =
  "select floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000)::double precision as ms";
