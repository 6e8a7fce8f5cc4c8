/**
 * The clock of a test database, which can be moved, and the activity there. See `extension-sql/testing/clock.sql`,
 * which this installs: only into databases that the kit has made.
 */
import { readFile } from "node:fs/promises";
import pg from "pg";
import { sleep } from "../async/sleep.ts";
import { DeadlineExceeded } from "../core/errors.ts";

/** The activity in a database. */
export interface Activity {
  /** Runs that a worker holds. */
  readonly executing: number;
  /** Runs that wait for a worker, of versions that are served. */
  readonly ready: number;
  /** Messages of queues that are being handled, or about to be received. */
  readonly handled: number;
  /** When the next run resumes by itself, by the clock of the test. */
  readonly nextAt: Date | undefined;
  readonly now: Date;
  /** Whether the clock was moved. */
  readonly moved: boolean;
}

interface TestClockOptions {
  /** Workflows that are served, and their versions. */
  readonly versions: ReadonlyMap<string, readonly number[]>;
  /** How long to wait for transactions that are in the way. */
  readonly patienceMs: number;
}

type ActivityRow = Omit<Activity, "nextAt"> & { readonly nextAt: Date | null };

const LOCK_NOT_AVAILABLE = "55P03";
const LOCK_PAUSE_MS = 3;

export class TestClock {
  readonly #client: pg.Client;
  readonly #versions: string;
  readonly #patienceMs: number;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client, { versions, patienceMs }: TestClockOptions) {
    this.#client = client;
    this.#patienceMs = patienceMs;
    this.#versions = JSON.stringify(Object.fromEntries(versions));
  }

  /** Gives an unused database a clock that can be moved. */
  static async install(url: string, options: TestClockOptions): Promise<TestClock> {
    const client = new pg.Client({ connectionString: url, application_name: "oxbow testing" });
    // The next caller gets it.
    client.on("error", () => {});
    await client.connect();
    try {
      await client.query(await readFile(new URL("../../sql/testing.sql", import.meta.url), "utf8"));
    } catch (error) {
      await client.end();
      throw error;
    }
    return new TestClock(client, options);
  }

  /** Lets a run take as long as it needs. */
  async liftDeadline(runId: string): Promise<void> {
    await this.#rows("select oxbow_test.lift_deadline($1)", [runId]);
  }

  async now(): Promise<Date> {
    const [row] = await this.#rows<{ now: Date }>("select oxbow_test.clock_timestamp() as now", []);
    return row?.now ?? new Date(Number.NaN);
  }

  /**
   * If the database is idle, moves the clock to its next timer.
   *
   * @param until how far at most; "infinity" is no limit, undefined moves nothing
   */
  async advance(until?: Date | "infinity"): Promise<Activity> {
    const [row] = await this.#locking<ActivityRow>(
      `select executing::int, ready::int, handled::int, next_at as "nextAt", now_at as now, moved
       from oxbow_test.advance($1::jsonb, $2)`,
      [this.#versions, until ?? null],
    );
    if (row === undefined) throw new Error("The clock of the test answered nothing.");
    return { ...row, nextAt: row.nextAt ?? undefined };
  }

  /** Moves the clock, whatever the activity. */
  async moveTo(moment: Date): Promise<void> {
    await this.#locking("select oxbow_test.move_while_executing($1)", [moment]);
  }

  async close(): Promise<void> {
    await this.#queue.catch(() => {});
    await this.#client.end();
  }

  async #locking<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const giveUpAt = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        return await this.#rows<Row>(text, values);
      } catch (error) {
        if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
        if (performance.now() > giveUpAt) throw locked(error);
        await sleep(LOCK_PAUSE_MS, new AbortController().signal);
      }
    }
  }

  /** One statement after the other. */
  #rows<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const answer = this.#queue.then(async () => {
      const { rows } = await this.#client.query<Row>(text, values);
      return rows;
    });
    this.#queue = answer.catch(() => {});
    return answer;
  }
}

const locked = (cause: unknown): DeadlineExceeded =>
  new DeadlineExceeded(
    "The time can't be skipped while a transaction has started, signalled or received runs and is still open. " +
      "Commit it first.",
    { cause },
  );
