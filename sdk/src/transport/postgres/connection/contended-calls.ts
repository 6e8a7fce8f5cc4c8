/**
 * Calls that may have to wait for what another transaction has locked: a run, an idempotency key, a message, or a group.
 *
 * Promises:
 *   L1  At most two calls of one of these are in the database at a time; the others wait here, in order.
 *   L2  A call that waits for a lock gives its connection back after 100 ms. From then on all such calls share two
 *       connections, in turns of a quarter of a second, so that they never use up the pool.
 *   L3  A call that waits reports it by `onWait`, so that those behind it are not held back.
 *   L4  No call about one thing fails for having waited; it waits until it is answered, or the pool closes.
 */
import { Gate } from "../../../async/gate.ts";
import { isLockTimeout } from "../../../protocol/sqlstate.ts";
import { withSetting } from "./call.ts";
import type { Call, QueryOptions } from "../../../protocol/rooms.ts";
import type { Queries } from "./queries.ts";

const FIRST_WAIT_MS = 100;
const WAIT_MS = 250;
const MOST_OF_ONE_KEY = 2;
const MOST_WAITING = 2;

export interface ContendedOptions extends QueryOptions {
  /** Called each time that the call begins to wait, for a lock or for calls that do. */
  readonly onWait?: (() => void) | undefined;
}

interface KeyGate {
  readonly gate: Gate;
  callers: number;
}

export class ContendedCalls {
  readonly #queries: Queries;
  readonly #keys: Map<string, KeyGate>;
  readonly #waiting: Gate;

  constructor(
    queries: Queries,
    keys = new Map<string, KeyGate>(),
    waiting: Gate = new Gate(MOST_WAITING),
  ) {
    this.#queries = queries;
    this.#keys = keys;
    this.#waiting = waiting;
  }

  /** Calls that are made otherwise, and wait together with these. */
  over(queries: Queries): ContendedCalls {
    return new ContendedCalls(queries, this.#keys, this.#waiting);
  }

  /** @param key What it may wait for, if that is one thing. Otherwise it fails with `isLockTimeout` after 100 ms. */
  async query<Parameters extends readonly unknown[], Row>(
    key: string | undefined,
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options: ContendedOptions = {},
  ): Promise<Row[]> {
    if (key === undefined) return this.#askFor(FIRST_WAIT_MS, call, values, options);
    const own = this.#keys.get(key) ?? { gate: new Gate(MOST_OF_ONE_KEY), callers: 0 };
    this.#keys.set(key, own);
    own.callers += 1;
    if (own.callers > MOST_OF_ONE_KEY) options.onWait?.();
    try {
      return await own.gate.pass(() => this.#ask(call, values, options));
    } finally {
      own.callers -= 1;
      if (own.callers === 0) this.#keys.delete(key);
    }
  }

  async #ask<Row>(
    call: Call<readonly unknown[], Row>,
    values: readonly unknown[],
    { onWait, ...options }: ContendedOptions,
  ): Promise<Row[]> {
    /** Null if it still waits. */
    const ask = async (waitMs: number): Promise<Row[] | null> => {
      try {
        return await this.#askFor(waitMs, call, values, options);
      } catch (error) {
        if (isLockTimeout(error) && !this.#queries.closing.aborted) return null;
        throw error;
      }
    };
    let rows = await ask(FIRST_WAIT_MS);
    if (rows === null) onWait?.();
    while (rows === null) rows = await this.#waiting.pass(() => ask(WAIT_MS));
    return rows;
  }

  /** Fails with `isLockTimeout` if it waits for longer. */
  #askFor<Row>(
    waitMs: number,
    call: Call<readonly unknown[], Row>,
    values: readonly unknown[],
    options: QueryOptions,
  ): Promise<Row[]> {
    const limited = withSetting(call, "within", "lock_timeout", values.length + 1);
    return this.#queries.query(limited, [...values, `${waitMs}ms`], options);
  }
}
