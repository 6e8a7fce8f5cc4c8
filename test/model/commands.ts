/** The random operations of a test on a queue: each command does it to the model and to the real queue, and compares. */
import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  atOnce,
  type Call,
  type ModelDelivery,
  type ModelStatistics,
  type Outgoing,
  type QueueModel,
  type QueueName,
  type SessionName,
  type Token,
} from "./queue-model.ts";
import { type RealQueue, SESSIONS } from "./real-queue.ts";

export const GROUPS: readonly string[] = ["red", "green", "blue"];

export type Command = fc.AsyncCommand<QueueModel, RealQueue>;
type Rows = Record<string, unknown>[];

/** A call of one function in one session. While it waits, the other sessions continue. */
abstract class QueueCall<Result> implements Command {
  readonly session: SessionName;
  readonly queue: QueueName;

  constructor(session: SessionName, queue: QueueName) {
    this.session = session;
    this.queue = queue;
  }

  check(model: Readonly<QueueModel>): boolean {
    if (!this.isPossible(model)) return false;
    // One waits at a time: the first of two that are released together is unknown.
    const mayWait = model.waiting() === undefined && !this.refusesToWait();
    return mayWait || !model.wouldWait(this.session, (trial) => this.inModel(trial, model));
  }

  async run(model: QueueModel, real: RealQueue): Promise<void> {
    const [text, values] = this.inSql(model, real);
    const outcome = model.run(this.session, () => this.inModel(model, model));
    const answer = real.query(this.session, text, values);
    const check = (rows: Rows, result: unknown): void =>
      this.compare(rows, result as Result, model, real);
    if (outcome.kind === "waits") {
      await real.leaveWaiting(this.session, outcome.for, answer, check);
    } else {
      check(await answer, outcome.result);
    }
  }

  /** @param seen what the arguments are chosen from, which a trial has no copy of */
  protected abstract inModel(model: QueueModel, seen: Readonly<QueueModel>): Call<Result>;
  protected abstract inSql(model: QueueModel, real: RealQueue): [string, unknown[]];
  protected abstract compare(rows: Rows, result: Result, model: QueueModel, real: RealQueue): void;
  abstract toString(): string;

  protected isPossible(model: Readonly<QueueModel>): boolean {
    return model.waiting() !== this.session;
  }

  protected refusesToWait(): boolean {
    return false;
  }

  protected describe(call: string, ...details: readonly unknown[]): string {
    return `${this.session}: ${call}(${[this.queue, ...details.map((detail) => JSON.stringify(detail))].join(", ")})`;
  }
}

class Send extends QueueCall<number[]> {
  readonly batch: readonly Outgoing[];
  readonly delay: number;

  constructor(session: SessionName, queue: QueueName, batch: readonly Outgoing[], delay: number) {
    super(session, queue);
    this.batch = batch;
    this.delay = delay;
  }

  protected override isPossible(model: Readonly<QueueModel>): boolean {
    return super.isPossible(model) && model.settings[this.queue].kind === "standard";
  }

  protected override inModel(model: QueueModel): Call<number[]> {
    return atOnce(() => model.send(this.session, this.queue, this.batch, this.delay));
  }

  protected override inSql(_: QueueModel, real: RealQueue): [string, unknown[]] {
    const [first] = this.batch;
    if (this.batch.length === 1 && first !== undefined) {
      return [
        "select queue.send($1, $2, $3, $4)::int as id",
        [real.names[this.queue], first.message, this.delay, first.headers],
      ];
    }
    return [
      "select id::int from queue.send_batch($1, $2::jsonb[], $3, $4::jsonb[]) as id",
      [
        real.names[this.queue],
        this.batch.map(({ message }) => JSON.stringify(message)),
        this.delay,
        this.batch.map(({ headers }) => (headers === null ? null : JSON.stringify(headers))),
      ],
    ];
  }

  protected override compare(rows: Rows, ids: number[]): void {
    deepEqual(
      rows,
      ids.map((id) => ({ id })),
      "message ids",
    );
  }

  override toString(): string {
    return this.describe(this.batch.length === 1 ? "send" : "send_batch", this.batch, this.delay);
  }
}

class SendFifo extends QueueCall<number> {
  readonly outgoing: Outgoing;
  readonly group: string;
  readonly deduplicationId: string | null;
  readonly delay: number;

  constructor(
    session: SessionName,
    queue: QueueName,
    outgoing: Outgoing,
    group: string,
    deduplicationId: string | null,
    delay: number,
  ) {
    super(session, queue);
    this.outgoing = outgoing;
    this.group = group;
    this.deduplicationId = deduplicationId;
    this.delay = delay;
  }

  protected override isPossible(model: Readonly<QueueModel>): boolean {
    return super.isPossible(model) && model.settings[this.queue].kind === "fifo";
  }

  protected override inModel(model: QueueModel): Call<number> {
    return model.sendFifo(
      this.session,
      this.queue,
      this.outgoing,
      this.group,
      this.deduplicationId,
      this.delay,
    );
  }

  protected override inSql(_: QueueModel, real: RealQueue): [string, unknown[]] {
    const { message, headers } = this.outgoing;
    return [
      "select queue.send_fifo($1, $2, $3, $4, $5, $6)::int as id",
      [real.names[this.queue], message, this.group, this.deduplicationId, this.delay, headers],
    ];
  }

  protected override compare(rows: Rows, id: number): void {
    deepEqual(rows, [{ id }], "message id");
  }

  override toString(): string {
    return this.describe("send_fifo", this.outgoing, this.group, this.deduplicationId, this.delay);
  }
}

class Receive extends QueueCall<ModelDelivery[]> {
  readonly max: number;
  readonly timeout: number | null;
  readonly matching: string | null;
  readonly suspects: number | null;

  constructor(
    session: SessionName,
    queue: QueueName,
    max: number,
    timeout: number | null,
    matching: string | null,
    suspects: number | null,
  ) {
    super(session, queue);
    this.max = max;
    this.timeout = timeout;
    this.matching = matching;
    this.suspects = suspects;
  }

  protected override inModel(model: QueueModel): Call<ModelDelivery[]> {
    return atOnce(() =>
      model.receive(this.session, this.queue, this.max, this.timeout, this.matching, this.suspects),
    );
  }

  protected override inSql(model: QueueModel, real: RealQueue): [string, unknown[]] {
    const name = model.settings[this.queue].kind === "fifo" ? "receive_fifo" : "receive";
    const matching = this.matching === null ? null : { type: this.matching };
    return [
      `select * from queue.${name}($1, $2, $3, $4, $5)`,
      [real.names[this.queue], this.max, this.timeout, matching, this.suspects],
    ];
  }

  protected override compare(
    rows: Rows,
    deliveries: ModelDelivery[],
    _: QueueModel,
    real: RealQueue,
  ): void {
    real.expectDeliveries(rows, deliveries);
  }

  override toString(): string {
    return this.describe("receive", this.max, this.timeout, this.matching, this.suspects);
  }
}

/** Picks one of the last dozen receipts handed out by a queue, the newest being 0. */
function pickToken(model: Readonly<QueueModel>, queue: QueueName, pick: number): Token | undefined {
  const tokens = model.handedOut.filter((handed) => handed.queue === queue);
  return tokens.at(-1 - (pick % Math.min(tokens.length, 12)))?.token;
}

class ChangeVisibility extends QueueCall<boolean> {
  readonly pick: number;
  readonly timeout: number;
  readonly isHeartbeat: boolean;

  constructor(
    session: SessionName,
    queue: QueueName,
    pick: number,
    timeout: number,
    isHeartbeat: boolean,
  ) {
    super(session, queue);
    this.pick = pick;
    this.timeout = timeout;
    this.isHeartbeat = isHeartbeat;
  }

  protected override isPossible(model: Readonly<QueueModel>): boolean {
    return super.isPossible(model) && pickToken(model, this.queue, this.pick) !== undefined;
  }

  protected override inModel(model: QueueModel, seen: Readonly<QueueModel>): Call<boolean> {
    const token = pickToken(seen, this.queue, this.pick) ?? 0;
    return model.changeVisibility(this.session, this.queue, token, this.timeout, this.isHeartbeat);
  }

  protected override inSql(model: QueueModel, real: RealQueue): [string, unknown[]] {
    const receipt = real.receipt(pickToken(model, this.queue, this.pick) ?? 0);
    if (this.isHeartbeat) {
      return [
        `select exists (
           select from queue.change_visibility_batch($1, array[$2::bigint], $3, heartbeat => true)
         ) as alive`,
        [real.names[this.queue], receipt, this.timeout],
      ];
    }
    return [
      "select queue.change_visibility($1, $2, $3) as alive",
      [real.names[this.queue], receipt, this.timeout],
    ];
  }

  protected override compare(rows: Rows, alive: boolean): void {
    deepEqual(rows, [{ alive }], "receipt is alive");
  }

  override toString(): string {
    return this.describe(
      this.isHeartbeat ? "heartbeat" : "change_visibility",
      `receipt ${this.pick}`,
      this.timeout,
    );
  }
}

class Delete extends QueueCall<Token[]> {
  readonly picks: readonly number[];

  constructor(session: SessionName, queue: QueueName, picks: readonly number[]) {
    super(session, queue);
    this.picks = picks;
  }

  /** The order in which several are waited for is unknown. */
  protected override refusesToWait(): boolean {
    return this.picks.length > 1;
  }

  protected override isPossible(model: Readonly<QueueModel>): boolean {
    return super.isPossible(model) && this.#tokens(model).length > 0;
  }

  protected override inModel(model: QueueModel, seen: Readonly<QueueModel>): Call<Token[]> {
    return model.delete(this.session, this.queue, this.#tokens(seen));
  }

  protected override inSql(model: QueueModel, real: RealQueue): [string, unknown[]] {
    const receipts = this.#tokens(model).map((token) => real.receipt(token));
    if (this.picks.length === 1) {
      return [
        "select $2::text as receipt where queue.delete($1, $2::bigint)",
        [real.names[this.queue], receipts[0]],
      ];
    }
    return [
      "select receipt::text from queue.delete_batch($1, $2::bigint[]) as receipt",
      [real.names[this.queue], receipts],
    ];
  }

  protected override compare(rows: Rows, alive: Token[], _: QueueModel, real: RealQueue): void {
    deepEqual(
      rows.map(({ receipt }) => String(receipt)).toSorted(),
      alive.map((token) => real.receipt(token)).toSorted(),
      "live receipts",
    );
  }

  override toString(): string {
    return this.describe("delete", ...this.picks.map((pick) => `receipt ${pick}`));
  }

  #tokens(model: Readonly<QueueModel>): Token[] {
    return this.picks
      .map((pick) => pickToken(model, this.queue, pick))
      .filter((token) => token !== undefined);
  }
}

class Redrive extends QueueCall<number> {
  readonly max: number;

  constructor(session: SessionName, max: number) {
    super(session, "letters");
    this.max = max;
  }

  protected override isPossible(model: Readonly<QueueModel>): boolean {
    return super.isPossible(model) && model.settings.work.maxReceives !== null;
  }

  protected override inModel(model: QueueModel): Call<number> {
    return model.redrive(this.session, this.max);
  }

  protected override inSql(_: QueueModel, real: RealQueue): [string, unknown[]] {
    return ["select queue.redrive($1, $2)::int as redriven", [real.names.letters, this.max]];
  }

  protected override compare(rows: Rows, redriven: number): void {
    deepEqual(rows, [{ redriven }], "redriven");
  }

  override toString(): string {
    return this.describe("redrive", this.max);
  }
}

class Purge extends QueueCall<number> {
  /** It would wait for every open transaction, and give up. */
  protected override isPossible(model: Readonly<QueueModel>): boolean {
    return super.isPossible(model) && !model.isAnyInTransaction();
  }

  protected override inModel(model: QueueModel): Call<number> {
    return atOnce(() => model.purge(this.queue));
  }

  protected override inSql(_: QueueModel, real: RealQueue): [string, unknown[]] {
    return ["select queue.purge_queue($1)::int as purged", [real.names[this.queue]]];
  }

  protected override compare(rows: Rows, purged: number): void {
    deepEqual(rows, [{ purged }], "purged");
  }

  override toString(): string {
    return this.describe("purge_queue");
  }
}

class Stats extends QueueCall<{ counts: ModelStatistics; next: number | null }> {
  protected override inModel(
    model: QueueModel,
  ): Call<{ counts: ModelStatistics; next: number | null }> {
    return atOnce(() => ({
      counts: model.stats(this.session, this.queue),
      next: model.nextVisibleAt(this.session, this.queue),
    }));
  }

  protected override inSql(_: QueueModel, real: RealQueue): [string, unknown[]] {
    return [
      `select visible::int, in_flight::int as "inFlight", delayed::int, groups::int,
         total_sent::int as "totalSent", extract(epoch from oldest_message_age)::float8 as "oldestAge",
         queue.next_visible_at($1) as next
       from queue.queue_stats($1)`,
      [real.names[this.queue]],
    ];
  }

  protected override compare(
    rows: Rows,
    { counts, next }: { counts: ModelStatistics; next: number | null },
    _: QueueModel,
    real: RealQueue,
  ): void {
    const seen = rows.map(({ oldestAge, next: at, ...row }) => ({
      ...row,
      oldestAge: oldestAge === null ? null : Math.floor(Number(oldestAge)),
      next: at === null ? null : real.sessions.clock.secondsAt(at as Date),
    }));
    deepEqual(seen, [{ ...counts, next }], "statistics");
  }

  override toString(): string {
    return this.describe("queue_stats");
  }
}

class Begin implements Command {
  readonly session: SessionName;

  constructor(session: SessionName) {
    this.session = session;
  }

  check(model: Readonly<QueueModel>): boolean {
    return model.waiting() !== this.session && !model.isInTransaction(this.session);
  }

  async run(model: QueueModel, real: RealQueue): Promise<void> {
    model.begin(this.session);
    await real.query(this.session, "begin");
  }

  toString(): string {
    return `${this.session}: begin`;
  }
}

class End implements Command {
  readonly session: SessionName;
  readonly how: "commit" | "rollback";

  constructor(session: SessionName, how: "commit" | "rollback") {
    this.session = session;
    this.how = how;
  }

  check(model: Readonly<QueueModel>): boolean {
    return (
      model.waiting() !== this.session &&
      model.isInTransaction(this.session) &&
      !model.isRace(this.session, this.how)
    );
  }

  async run(model: QueueModel, real: RealQueue): Promise<void> {
    const waiting = model.waiting();
    const outcome = model.end(this.session, this.how);
    await real.query(this.session, this.how);
    if (outcome?.kind === "done") {
      await real.answer(outcome.result);
    } else if (outcome?.kind === "waits" && waiting !== undefined) {
      await real.expectWaiting(waiting, outcome.for);
    }
  }

  toString(): string {
    return `${this.session}: ${this.how}`;
  }
}

class Advance implements Command {
  readonly seconds: number;

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  check(): boolean {
    return true;
  }

  async run(model: QueueModel, real: RealQueue): Promise<void> {
    model.advance(this.seconds);
    await real.sessions.clock.advance(this.seconds);
  }

  toString(): string {
    return `${this.seconds} s pass`;
  }
}

const session = fc.constantFrom(...SESSIONS);
const queue = fc.oneof(
  { weight: 4, arbitrary: fc.constant("work" as const) },
  {
    weight: 1,
    arbitrary: fc.constant("letters" as const),
  },
);
// `deepEqual` compares prototypes too.
const plain = { noNullPrototype: true };
const outgoing = fc.record(
  {
    message: fc.record({ n: fc.nat(99), type: fc.constantFrom("plain", "odd") }, plain),
    headers: fc.option(fc.record({ trace: fc.nat(9) }, plain), { freq: 3 }),
  },
  plain,
);
const delay = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(10, 20),
  },
);
const pick = fc.nat(11);
const anyOne = { maxLength: 1, minLength: 1 };

const calls = {
  send: fc
    .tuple(
      session,
      queue,
      fc.oneof(fc.array(outgoing, anyOne), fc.array(outgoing, { maxLength: 4 })),
      delay,
    )
    .map((args) => new Send(...args)),
  sendFifo: fc
    .tuple(
      ...([session, queue, outgoing, fc.constantFrom(...GROUPS)] as const),
      fc.option(fc.constantFrom("one", "two", "three", "four"), { freq: 2 }),
      delay,
    )
    .map((args) => new SendFifo(...args)),
  receive: fc
    .tuple(
      ...([session, queue, fc.integer({ min: 1, max: 4 })] as const),
      fc.option(fc.constantFrom(0, 0, 10, 60), { freq: 2 }),
      fc.option(fc.constantFrom("plain", "odd"), { freq: 4 }),
      fc.option(fc.constantFrom(0, 1), { freq: 2 }),
    )
    .map((args) => new Receive(...args)),
  changeVisibility: fc
    .tuple(session, queue, pick, fc.constantFrom(0, 0, 10, 60), fc.boolean())
    .map((args) => new ChangeVisibility(...args)),
  delete: fc
    .tuple(
      session,
      queue,
      fc.oneof(fc.array(pick, anyOne), fc.array(pick, { minLength: 2, maxLength: 4 })),
    )
    .map((args) => new Delete(...args)),
  redrive: fc.tuple(session, fc.constantFrom(1, 2, 1_000)).map((args) => new Redrive(...args)),
  // A purge ends what was interesting, so it is rare.
  stats: fc
    .tuple(session, queue, fc.nat(4))
    .map(([by, on, n]) => (n === 0 ? new Purge(by, on) : new Stats(by, on))),
  begin: session.map((name) => new Begin(name)),
  end: fc
    .tuple(session, fc.constantFrom("commit" as const, "commit" as const, "rollback" as const))
    .map((args) => new End(...args)),
  advance: fc.constantFrom(1, 10, 30, 300).map((seconds) => new Advance(seconds)),
};

/** How often each call is drawn, one to the other. */
const FREQUENCIES: readonly (readonly [number, fc.Arbitrary<Command>])[] = [
  [2, calls.send],
  [3, calls.sendFifo],
  [4, calls.receive],
  [3, calls.delete],
  [1, calls.changeVisibility],
  [2, calls.redrive],
  [1, calls.stats],
  [2, calls.begin],
  [2, calls.end],
  [2, calls.advance],
];

export const anyCommands = (maxCommands: number): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(
    FREQUENCIES.flatMap(([times, call]) => Array.from({ length: times }, () => call)),
    { maxCommands, size: "max" },
  );
