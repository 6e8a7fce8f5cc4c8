/**
 * The shares of statements, transactions, relays and exports in the connections to one database.
 *
 * Promises:
 *   S1  Together they have at most `maxConnections`. Statements begin with all. The others take from them when they need
 *       one, up to half, and give it back when it is closed. No connection is opened before the one that it replaces is
 *       closed.
 *   S2  Each kind that is used has at least one, however small `maxConnections` is: a transaction may wait for statements
 *       of its run, and a relay for another database, whose relay waits for this one.
 *   S3  Statements keep a third, so that one that waits for a lock doesn't stop the others.
 */
import { within } from "../../../async/within.ts";
import { cutConnection } from "./sockets.ts";
import type pg from "pg";

const CLOSE_WITHIN_MS = 2_000;

/**
 * Transactions have separate connections: one that waits for a commit of its run must not keep that commit from one. So
 * have those of relays: callbacks that take long must not stop them, and they wait for other databases. And so have exports,
 * each of which takes as long as its reader, who may be far away, or process each run before the next.
 */
export type Purpose = "statements" | "transactions" | "relays" | "exports";
type Guest = Exclude<Purpose, "statements">;

export type Pools = Readonly<Record<Purpose, pg.Pool>>;

export class ConnectionShares {
  readonly #pools: Pools;
  readonly #most: number;
  readonly #owned = { transactions: 0, relays: 0, exports: 0 };
  /** Connections that are in use, or waited for. */
  readonly #wanted = { transactions: 0, relays: 0, exports: 0 };

  constructor(pools: Pools, most: number) {
    this.#pools = pools;
    this.#most = most;
    for (const guest of ["transactions", "relays", "exports"] as const) {
      pools[guest].options.max = 0;
      pools[guest].on("release", () => void (this.#wanted[guest] -= 1));
      pools[guest].on("remove", () => this.#giveBack(guest));
    }
  }

  /** A connection of the pool. */
  async connect(purpose: Purpose): Promise<pg.PoolClient> {
    if (purpose === "statements") return this.#pools.statements.connect();
    this.#wanted[purpose] += 1;
    try {
      if (this.#wanted[purpose] > this.#owned[purpose]) await this.#take(purpose);
      return await this.#pools[purpose].connect();
    } catch (error) {
      this.#wanted[purpose] -= 1;
      this.#giveBack(purpose);
      throw error;
    }
  }

  get #ofStatements(): number {
    const { transactions, relays, exports } = this.#owned;
    return Math.max(1, this.#most - transactions - relays - exports);
  }

  /** Takes one from the statements, unless they have too few: then connections of the guest are waited for. */
  async #take(guest: Guest): Promise<void> {
    const { statements } = this.#pools;
    const isShort =
      this.#owned[guest] >= Math.floor(this.#most / 2) ||
      this.#ofStatements <= Math.max(1, Math.floor(this.#most / 3));
    if (isShort && this.#owned[guest] > 0) return;
    this.#owned[guest] += 1;
    statements.options.max = this.#ofStatements;
    try {
      if (statements.totalCount > this.#ofStatements) await closeNext(statements);
    } catch (error) {
      this.#owned[guest] -= 1;
      statements.options.max = this.#ofStatements;
      throw error;
    }
    this.#pools[guest].options.max = this.#owned[guest];
  }

  /** What is neither open nor waited for. */
  #giveBack(guest: Guest): void {
    const pool = this.#pools[guest];
    const needed = Math.max(pool.totalCount, this.#wanted[guest]);
    this.#owned[guest] = Math.min(this.#owned[guest], needed);
    pool.options.max = Math.min(pool.options.max, this.#owned[guest]);
    this.#pools.statements.options.max = this.#ofStatements;
  }
}

/** Closes the next connection that is free. */
async function closeNext(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  const ended = new Promise<void>((resolve) => {
    client.once("end", resolve);
  });
  client.release(true);
  if (!(await within(CLOSE_WITHIN_MS, ended))) cutConnection(client);
}
