/** The identity of a database, and of its copies: see docs/fork.md. Only over a direct connection. */
import type pg from "pg";
import { withClient } from "./connect.ts";
import { readValue } from "./installation.ts";

export interface Incarnation {
  readonly id: string;
  /** The incarnation that it is a copy of. */
  readonly parentId: string | null;
  readonly state: "live" | "sandbox" | "held";
  /** How it came into that state, for people. */
  readonly origin: string;
  readonly since: Date;
  /** Up to when it has the history of its source. */
  readonly copiedAt: Date | null;
  /** Whether a promotion, or a recovery from an archive, holds it. */
  readonly guarded: boolean | null;
}

interface ReleaseRequest {
  readonly as: "sandbox" | "live";
  /** The handling of sleeps, timeouts, retries and delayed starts. */
  readonly timers: "fire" | "shift" | "hold";
}

interface Release {
  /** The new identity. */
  readonly id: string;
  /** Runs that lost the worker they came along with. */
  readonly leases: number;
  /** Timers that were moved, or whose run was paused. */
  readonly timers: number;
  /** Deliveries that came along and are captured. */
  readonly captured: number;
}

/** Undefined where Oxbow isn't installed, or is too old to know. */
export async function readIncarnation(
  database: string | pg.ClientBase,
): Promise<Incarnation | undefined> {
  return withClient(database, async (client) => {
    const isKnown = await knowsIncarnations(client);
    const { rows } = isKnown ? await client.query<Incarnation>(INCARNATION) : { rows: [] };
    return rows[0];
  });
}

const INCARNATION = `
  select incarnation_id as id, parent_id as "parentId", state, origin, became_at as since,
    copied_at as "copiedAt", (to_jsonb(i) ->> 'guarded')::boolean as guarded
  from queue.incarnation() as i
  where incarnation_id is not null or state = 'held'`;

/** Whether the functions there know what a copy is. */
export async function knowsIncarnations(client: pg.ClientBase): Promise<boolean> {
  const query = "select to_regprocedure('queue.hold_incarnation(text, timestamptz)') is not null";
  return (await readValue(client, query)) === true;
}

/** Marks a database as a copy. @returns False when it was held before. */
export async function holdIncarnation(
  database: string | pg.ClientBase,
  { origin, copiedAt }: { readonly origin: string; readonly copiedAt?: Date },
): Promise<boolean> {
  return withClient(database, async (client) => {
    const query = "select queue.hold_incarnation(origin => $1, copied_at => $2::timestamptz)";
    return (await readValue(client, query, [origin, copiedAt?.toISOString() ?? null])) === true;
  });
}

/** Sets whether a promotion, or a recovery from an archive, holds the database. @returns Whether the setting changed. */
export async function guardIncarnation(
  database: string | pg.ClientBase,
  isGuarded: boolean,
): Promise<boolean> {
  return withClient(database, async (client) => {
    const query = "select queue.guard_incarnation(is_guarded => $1)";
    return (await readValue(client, query, [isGuarded])) === true;
  });
}

/** Releases a copy. @returns Undefined when it wasn't held. */
export async function releaseIncarnation(
  database: string | pg.ClientBase,
  { as, timers }: ReleaseRequest,
): Promise<Release | undefined> {
  return withClient(database, async (client) => {
    const { rows } = await client.query<Release & { readonly released: boolean }>(
      `select released, incarnation_id as id, leases::float8, timers::float8, captured::float8
       from queue.release_incarnation(mode => $1, timers => $2)`,
      [as, timers],
    );
    const [row] = rows;
    return row?.released === true ? row : undefined;
  });
}
