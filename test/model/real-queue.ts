/** The real queue, as the model's commands drive it: three sessions, and receipts by the model's tokens. */
import { deepEqual } from "node:assert/strict";
import type pg from "pg";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { type Delivery, only, uniqueQueueName } from "../helpers/queues.ts";
import {
  type ModelDelivery,
  type QueueName,
  QueueModel,
  type QueueSettings,
  type SessionName,
  type Token,
} from "./queue-model.ts";
import type { TestClock } from "./test-clock.ts";

export const SESSIONS: readonly SessionName[] = ["ann", "bob", "cyd"];

type Row = Record<string, unknown>;

interface Session {
  readonly client: pg.Client;
  readonly pid: number;
}

/** A call that has not returned, and what to do with its answer. */
interface Unanswered {
  readonly session: SessionName;
  readonly answer: Promise<Row[]>;
  readonly check: (rows: Row[], result: unknown) => void;
}

/** The sessions outlive the runs; connecting is most of what a short run costs. */
export class RealSessions {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  readonly #sessions = new Map<SessionName, Session>();

  constructor(database: TestDatabase, clock: TestClock) {
    this.database = database;
    this.clock = clock;
  }

  async connect(): Promise<void> {
    for (const name of SESSIONS) {
      const client = await this.database.connect();
      // A call that waits though it should not is a finding, not a test that hangs.
      const { rows } = await client.query<{ pid: number }>(
        "select pg_backend_pid() as pid, set_config('lock_timeout', '5s', false)",
      );
      this.#sessions.set(name, { client, pid: only(rows).pid });
    }
  }

  of(name: SessionName): Session {
    const session = this.#sessions.get(name);
    if (session === undefined) throw new Error(`${name} is not connected.`);
    return session;
  }

  /** The groups in the order in which their locks are taken; no two of them may share one. */
  async lockOrder(queue: string, groups: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ name: string; key: string }>(
      `select name, queue._group_lock_key($1, name)::text as key
       from unnest($2::text[]) as name order by queue._group_lock_key($1, name)`,
      [queue, groups],
    );
    if (new Set(rows.map(({ key }) => key)).size < groups.length) {
      throw new Error("Two groups share a lock: choose other names.");
    }
    return rows.map(({ name }) => name);
  }

  async rollBack(names: readonly SessionName[]): Promise<void> {
    await Promise.all(names.map((name) => this.of(name).client.query("rollback")));
  }
}

/** The queues of one run. */
export class RealQueue {
  readonly names: Readonly<Record<QueueName, string>>;
  readonly sessions: RealSessions;
  readonly #receipts = new Map<Token, string>();
  #unanswered: Unanswered | undefined;

  private constructor(sessions: RealSessions, names: Record<QueueName, string>) {
    this.sessions = sessions;
    this.names = names;
  }

  static async create(
    sessions: RealSessions,
    settings: Record<QueueName, QueueSettings>,
  ): Promise<RealQueue> {
    await sessions.clock.restart();
    const names = { letters: uniqueQueueName(), work: uniqueQueueName() };
    const { letters, work } = settings;
    const create = async (
      name: string,
      { kind, visibilityTimeout, maxReceives }: QueueSettings,
    ) => {
      const target = maxReceives === null ? null : names.letters;
      const values = [name, kind === "fifo", visibilityTimeout, maxReceives, target];
      await sessions.database.query("select queue.create_queue($1, $2, $3, $4, $5)", values);
    };
    await create(names.letters, letters);
    await create(names.work, work);
    return new RealQueue(sessions, names);
  }

  /** Also after a run that failed, with whatever it has left open. */
  async drop(): Promise<void> {
    // Whoever waits gets what it waits for when the others roll back.
    const waiting = SESSIONS.filter((name) => name === this.#unanswered?.session);
    await this.sessions.rollBack(SESSIONS.filter((name) => !waiting.includes(name)));
    await Promise.allSettled([this.#unanswered?.answer]);
    await this.sessions.rollBack(waiting);
    await this.sessions.database.query("select queue.drop_queue($1), queue.drop_queue($2)", [
      this.names.work,
      this.names.letters,
    ]);
  }

  async query(session: SessionName, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.sessions.of(session).client.query<Row>(text, [...values]);
    return rows;
  }

  /** Sends a call off, and returns when it waits for the other session. */
  async leaveWaiting(
    session: SessionName,
    holder: SessionName,
    answer: Promise<Row[]>,
    check: Unanswered["check"],
  ): Promise<void> {
    this.#unanswered = { session, answer, check };
    await this.expectWaiting(session, holder);
  }

  async expectWaiting(session: SessionName, holder: SessionName): Promise<void> {
    const answered = this.#unanswered?.answer.then(
      (rows) => `${session} does not wait for ${holder}: ${JSON.stringify(rows)}`,
      (error: unknown) => `${session} does not wait for ${holder}: ${String(error)}`,
    );
    let isAnswered = false;
    const waiting = eventually(
      () =>
        this.sessions.database.query("select from unnest(pg_blocking_pids($1)) as p where p = $2", [
          this.sessions.of(session).pid,
          this.sessions.of(holder).pid,
        ]),
      (rows) => rows.length > 0 || isAnswered,
      { withinMs: 15_000 },
    ).then(() => "waits");
    const first = await Promise.race([waiting, answered]);
    if (first === "waits") return;
    isAnswered = true;
    // Its last look is over before the sessions end.
    await waiting;
    throw new Error(first);
  }

  /** Takes the answer of the call that has waited. */
  async answer(result: unknown): Promise<void> {
    const unanswered = this.#unanswered;
    if (unanswered === undefined) throw new Error("No call is under way.");
    const rows = await unanswered.answer;
    this.#unanswered = undefined;
    unanswered.check(rows, result);
  }

  receipt(token: Token): string {
    const receipt = this.#receipts.get(token);
    if (receipt === undefined)
      throw new Error(`The real queue has delivered nothing for ${token}.`);
    return receipt;
  }

  /** Compares deliveries, and notes their receipts. */
  expectDeliveries(rows: readonly Row[], expected: readonly ModelDelivery[]): void {
    const { clock } = this.sessions;
    const deliveries = rows as unknown as Delivery[];
    deepEqual(
      deliveries.map((delivery) => ({
        id: Number(delivery.msg_id),
        readCt: delivery.read_ct,
        enqueuedAt: clock.secondsAt(delivery.enqueued_at),
        visibleAt: clock.secondsAt(delivery.visible_at),
        group: delivery.message_group_id,
        message: delivery.message,
        headers: this.#withoutTimes(delivery.headers),
      })),
      expected.map(({ content }) => content),
      "deliveries",
    );
    for (const [index, { token }] of expected.entries()) {
      this.#receipts.set(token, String(deliveries[index]?.receipt));
    }
  }

  async expectSound(): Promise<void> {
    deepEqual(await this.sessions.database.query("select * from queue.check_invariants()"), []);
  }

  /** Times of a letter are text, and its queue by its real name. */
  #withoutTimes(headers: Delivery["headers"]): Delivery["headers"] {
    const origin = headers?.["dead_letter"] as Row | undefined;
    if (headers === null || origin === undefined) return headers;
    const { first_enqueued_at: enqueued, dead_lettered_at: died, ...rest } = origin;
    if (typeof enqueued !== "string" || typeof died !== "string") {
      throw new TypeError("A dead letter contains when it was enqueued and when it died.");
    }
    const queue = rest["queue"] === this.names.work ? "work" : rest["queue"];
    return { ...headers, dead_letter: { ...rest, queue } };
  }
}

/** The start of a run: the model, and unused queues. */
export async function setupPair(
  sessions: RealSessions,
  settings: Record<QueueName, QueueSettings>,
  groups: readonly string[],
): Promise<{ model: QueueModel; real: RealQueue }> {
  const real = await RealQueue.create(sessions, settings);
  const order = await sessions.lockOrder(real.names.work, groups);
  return { model: new QueueModel(settings, order), real };
}
