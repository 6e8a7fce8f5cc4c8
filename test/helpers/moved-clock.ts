/** A database whose clock a test moves: the testing kit's, for tests that create their own sessions and workers. */
import { readFile } from "node:fs/promises";
import type { TestDatabase } from "./database.ts";

export class MovedClock {
  readonly #database: TestDatabase;

  private constructor(database: TestDatabase) {
    this.#database = database;
  }

  static async install(database: TestDatabase): Promise<MovedClock> {
    const script = new URL("../../sdk/sql/testing.sql", import.meta.url);
    await database.query(await readFile(script, "utf8"));
    return new MovedClock(database);
  }

  async now(): Promise<Date> {
    // Over shards there is a row for each: their clocks are moved together.
    const [row] = await this.#database.query<{ now: Date }>(
      "select oxbow_test.clock_timestamp() as now",
    );
    if (row === undefined) throw new Error("A clock shows the time.");
    return row.now;
  }

  /** Sets the clock, as people and machines do, so much ahead of the real one; by less than before is back. */
  async setAhead(ms: number): Promise<void> {
    await this.#database.query("select setval('oxbow_test.skipped', $1)", [ms * 1_000]);
  }

  /** Skips the time until then. It never goes back. */
  async moveTo(moment: Date): Promise<void> {
    await this.#database.query("select oxbow_test.move_to($1)", [moment]);
  }

  /** Moves it to a moment of the next minute, so that tests know where they are. */
  async moveIntoMinute(seconds = 0): Promise<Date> {
    const now = await this.now();
    const minute = new Date(Math.ceil((now.getTime() + 1) / 60_000) * 60_000);
    await this.moveTo(new Date(minute.getTime() + seconds * 1_000));
    return minute;
  }
}
