/**
 * A clock that only a test moves. Rows cannot be shifted instead: rows that an open transaction has written are
 * out of reach, and would be younger than the others afterwards.
 *
 * Within one test database `clock_timestamp()` is replaced by a count of microseconds. It moves by ten at each
 * reading, so that what happens later has the later time, and by whole seconds on request.
 */
import type { TestDatabase } from "../helpers/database.ts";
import { only } from "../helpers/queues.ts";

const SECOND = 1_000_000;
const BEGINNING = "timestamptz '2030-01-01 00:00:00+00'";

export class TestClock {
  readonly #database: TestDatabase;
  /** The whole second at which the current run began. */
  #zero = 0;

  constructor(database: TestDatabase) {
    this.#database = database;
  }

  /** Replaces the clock of the database. Sessions that have used Oxbow before don't notice. */
  async install(): Promise<void> {
    await this.#database.query(`
      set allow_system_table_mods = on;
      create sequence public.test_clock increment by 10;
      alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp;
      create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile as
        $$select ${BEGINNING} + pg_catalog.nextval('public.test_clock'::regclass) * interval '1 microsecond'$$;
      reset allow_system_table_mods`);
  }

  /** Makes the next whole second the first of a run. */
  async restart(): Promise<void> {
    const next = Math.floor((await this.#read()) / SECOND) + 1;
    this.#zero = next;
    await this.#set(next * SECOND);
  }

  async advance(seconds: number): Promise<void> {
    await this.#set((await this.#read()) + seconds * SECOND);
  }

  /** Whole seconds since the run began. */
  secondsAt(time: Date): number {
    return Math.floor((time.getTime() - Date.UTC(2030, 0, 1)) / 1_000) - this.#zero;
  }

  async #read(): Promise<number> {
    const rows = await this.#database.query<{ now: string }>(
      "select last_value as now from public.test_clock",
    );
    return Number(only(rows).now);
  }

  async #set(now: number): Promise<void> {
    await this.#database.query("select setval('public.test_clock', $1)", [now]);
  }
}
