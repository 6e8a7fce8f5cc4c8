/**
 * Receives of several messages of a group, over random histories of three sessions, one of which may have a transaction
 * open. The answers are held against rules that know nothing of heads or tombstones:
 *   G1  what is received of a group is its oldest messages, in order and without a gap;
 *   G2  nothing is received of a group while a lease of another receive in it has not ended;
 *   G3  without an open transaction, a receive that returns fewer messages than it may has left nothing that is ready;
 *   G4  a receipt is alive until its message is deleted, given back or received again;
 *   G5  at the end, what was not deleted is received, in order, and nothing else.
 */
import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { beforeAll, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { type Delivery, only, type Queryable, uniqueQueueName } from "../helpers/queues.ts";
import { openSession, type Session } from "../helpers/session.ts";
import { TestClock } from "./test-clock.ts";

const RUNS = Number(process.env["OXBOW_MODEL_RUNS"] ?? 60);
const GROUPS = ["red", "green", "blue"];

const database = await createDatabase();
const clock = new TestClock(database);
let sessions: readonly [Session, Session];
let holder: Session;

beforeAll(async () => {
  await clock.install();
  sessions = [await openSession(database), await openSession(database)];
  holder = await openSession(database);
  // A call that waits though it should not is a finding, not a test that hangs.
  for (const session of [...sessions, holder]) await session.query("set lock_timeout = '5s'");
});

interface Message {
  readonly n: number;
  readonly group: string;
  /** Seconds since the run began. */
  readyAt: number;
  leasedUntil: number;
  receipt: string | undefined;
  reads: number;
  isDeleted: boolean;
  /** An open transaction has deleted it. */
  isHeld: boolean;
}

type Step =
  | { readonly kind: "send"; readonly groups: readonly string[]; readonly delay: number }
  | {
      readonly kind: "receive";
      readonly max: number;
      readonly perGroup: number;
      readonly timeout: number;
    }
  | { readonly kind: "delete" | "hold"; readonly picks: readonly number[] }
  | { readonly kind: "change" | "give back"; readonly pick: number; readonly seconds: number }
  | { readonly kind: "advance"; readonly seconds: number }
  | { readonly kind: "end"; readonly how: "commit" | "rollback" };

const picks = fc.array(fc.nat(30), { minLength: 1, maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      groups: fc.array(fc.constantFrom(...GROUPS), { minLength: 1, maxLength: 5 }),
      delay: fc.constantFrom(0, 0, 0, 5),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("receive" as const),
      max: fc.constantFrom(1, 2, 3, 5, 10, 30),
      perGroup: fc.constantFrom(1, 1, 2, 3, 10),
      timeout: fc.constantFrom(0, 10, 20),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("delete" as const, "hold" as const), picks }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("change" as const, "give back" as const),
      pick: fc.nat(30),
      seconds: fc.constantFrom(0, 0, 4, 30),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("advance" as const),
      seconds: fc.integer({ min: 1, max: 25 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      how: fc.constantFrom("commit" as const, "rollback" as const),
    }),
  },
);

class History {
  readonly queue = uniqueQueueName();
  readonly #messages: Message[] = [];
  readonly #handedOut: { readonly receipt: string; readonly message: Message }[] = [];
  #now = 0;
  #isOpen = false;

  async run(steps: readonly Step[]): Promise<void> {
    await clock.restart();
    await database.query("select queue.create_queue($1, true, 20)", [this.queue]);
    for (const [index, one] of steps.entries()) {
      const session = sessions[index % 2] ?? holder;
      await this.#take(one, session);
    }
    await this.#end("commit");
    await this.#drain();
    await database.query("select queue.drop_queue($1)", [this.queue]);
  }

  async abandon(): Promise<void> {
    await holder.query("rollback");
  }

  async #take(one: Step, session: Session): Promise<void> {
    switch (one.kind) {
      case "send":
        return this.#send(one.groups, one.delay, session);
      case "receive":
        await this.#receive(one, session);
        return undefined;
      case "delete":
        return this.#delete(this.#picked(one.picks), session);
      case "hold":
        return this.#hold(this.#picked(one.picks));
      case "change":
        return this.#change(one.pick, one.seconds, session);
      case "give back":
        return this.#giveBack(one.pick, one.seconds, session);
      case "advance":
        await clock.advance(one.seconds);
        this.#now += one.seconds;
        return undefined;
      case "end":
        return this.#end(one.how);
      default:
        return one satisfies never;
    }
  }

  async #send(groups: readonly string[], delay: number, session: Queryable): Promise<void> {
    // A sender would wait for the transaction that has deleted a head of the group.
    if (this.#isOpen) return;
    const rows = groups.map((group, index) => ({ group, n: this.#messages.length + index }));
    const sent = await session.query(
      "select * from queue.send_fifo_batch($1, $2::jsonb[], $3, delay_seconds => $4)",
      [this.queue, rows.map(({ n }) => String(n)), groups, delay],
    );
    deepEqual(sent.length, groups.length);
    for (const { group, n } of rows) {
      this.#messages.push({
        n,
        group,
        readyAt: this.#now + delay,
        leasedUntil: 0,
        receipt: undefined,
        reads: 0,
        isDeleted: false,
        isHeld: false,
      });
    }
  }

  async #receive(
    { max, perGroup, timeout }: { max: number; perGroup: number; timeout: number },
    session: Queryable,
  ): Promise<number> {
    const rows = await session.query<Delivery & Record<string, unknown>>(
      "select * from queue.receive_fifo($1, $2, $3, max_per_group => $4)",
      [this.queue, max, timeout, perGroup],
    );
    ok(rows.length <= max);
    const received = rows.map((row) => ({ row, message: this.#messageOf(row) }));
    for (const group of GROUPS) {
      const own = received.filter(({ message }) => message.group === group);
      if (own.length === 0) {
        if (!this.#isOpen && rows.length < max) deepEqual(this.#readyIn(group, 1), 0);
        continue;
      }
      const left = this.#left(group);
      deepEqual(
        own.map(({ message }) => message.n),
        left.slice(0, own.length).map(({ n }) => n),
      );
      deepEqual(
        left.filter(({ leasedUntil }) => leasedUntil > this.#now),
        [],
      );
      ok(own.length <= perGroup);
      if (!this.#isOpen && rows.length < max) {
        ok(own.length >= this.#readyIn(group, perGroup));
      }
    }
    for (const { row, message } of received) {
      deepEqual(message.isHeld, false);
      message.receipt = row.receipt;
      message.leasedUntil = this.#now + timeout;
      message.readyAt = message.leasedUntil;
      message.reads += 1;
      this.#handedOut.push({ receipt: row.receipt, message });
    }
    return rows.length;
  }

  /** How many messages a receive must return of a group; messages received twice may be suspects. */
  #readyIn(group: string, most: number): number {
    const left = this.#left(group);
    if (left.some(({ leasedUntil }) => leasedUntil > this.#now)) return 0;
    const stop = left.findIndex(({ readyAt, reads }) => readyAt > this.#now || reads >= 2);
    const ready = stop === -1 ? left.length : stop;
    // A suspect of another group may take the place of one.
    return this.#messages.some(({ reads, isDeleted }) => reads >= 2 && !isDeleted)
      ? 0
      : Math.min(ready, most);
  }

  #left(group: string): Message[] {
    return this.#messages.filter((one) => one.group === group && !one.isDeleted);
  }

  #messageOf({ message }: Delivery): Message {
    const found = this.#messages[message as number];
    if (found === undefined) throw new Error(`Message ${String(message)} was not sent.`);
    return found;
  }

  #picked(numbers: readonly number[]): { receipt: string; message: Message }[] {
    const latest = Math.max(1, Math.min(this.#handedOut.length, 9));
    const found = numbers.flatMap((pick) => this.#handedOut.at(-1 - (pick % latest)) ?? []);
    return [...new Map(found.map((one) => [one.receipt, one])).values()].filter(
      ({ message }) => !message.isHeld && !this.#isNext(message),
    );
  }

  /** Whether the open transaction has made it the head of its group: another session that changes it waits. */
  #isNext(message: Message): boolean {
    const left = this.#left(message.group);
    const place = left.indexOf(message);
    return place > 0 && left.slice(0, place).every(({ isHeld }) => isHeld);
  }

  async #delete(
    picked: readonly { receipt: string; message: Message }[],
    session: Queryable,
  ): Promise<void> {
    const alive = picked.filter(({ receipt, message }) => message.receipt === receipt);
    const rows = await session.query<{ receipt: string }>(
      "select receipt::text from queue.delete_batch($1, $2) as receipt",
      [this.queue, picked.map(({ receipt }) => receipt)],
    );
    deepEqual(
      new Set(rows.map(({ receipt }) => receipt)),
      new Set(alive.map(({ receipt }) => receipt)),
    );
    for (const { message } of alive) {
      message.isDeleted = true;
      message.receipt = undefined;
    }
  }

  async #hold(picked: readonly { receipt: string; message: Message }[]): Promise<void> {
    if (!this.#isOpen) await holder.query("begin");
    this.#isOpen = true;
    const alive = picked.filter(({ receipt, message }) => message.receipt === receipt);
    const rows = await holder.query<{ receipt: string }>(
      "select receipt::text from queue.delete_batch($1, $2) as receipt",
      [this.queue, picked.map(({ receipt }) => receipt)],
    );
    deepEqual(rows.length, alive.length);
    for (const { message } of alive) message.isHeld = true;
  }

  async #end(how: "commit" | "rollback"): Promise<void> {
    if (!this.#isOpen) return;
    await holder.query(how);
    this.#isOpen = false;
    for (const message of this.#messages.filter(({ isHeld }) => isHeld)) {
      message.isHeld = false;
      if (how === "rollback") continue;
      message.isDeleted = true;
      message.receipt = undefined;
    }
    // Tombstones are looked at again within a second.
    await clock.advance(2);
    this.#now += 2;
    deepEqual(await database.query("select * from queue.check_invariants()"), []);
  }

  async #change(pick: number, seconds: number, session: Queryable): Promise<void> {
    const [one] = this.#picked([pick]);
    if (one === undefined) return;
    const isAlive = one.message.receipt === one.receipt;
    const rows = await session.query("select queue.change_visibility($1, $2, $3) as alive", [
      this.queue,
      one.receipt,
      seconds,
    ]);
    deepEqual(only(rows), { alive: isAlive });
    if (!isAlive) return;
    one.message.leasedUntil = this.#now + seconds;
    one.message.readyAt = one.message.leasedUntil;
  }

  async #giveBack(pick: number, seconds: number, session: Queryable): Promise<void> {
    const [one] = this.#picked([pick]);
    if (one === undefined) return;
    const isAlive = one.message.receipt === one.receipt;
    const rows = await session.query(
      "select from queue.give_back_batch($1, array[$2::bigint], $3)",
      [this.queue, one.receipt, seconds],
    );
    deepEqual(rows.length, isAlive ? 1 : 0);
    if (!isAlive) return;
    one.message.receipt = undefined;
    one.message.leasedUntil = 0;
    one.message.readyAt = this.#now + seconds;
  }

  async #drain(): Promise<void> {
    await clock.advance(100);
    this.#now += 100;
    for (let idle = 0; idle < 3;) {
      const before = this.#handedOut.length;
      const received = await this.#receive({ max: 30, perGroup: 10, timeout: 20 }, sessions[0]);
      await this.#delete(this.#handedOut.slice(before), sessions[1]);
      await clock.advance(2);
      this.#now += 2;
      idle = received === 0 ? idle + 1 : 0;
    }
    deepEqual(
      this.#messages.filter(({ isDeleted }) => !isDeleted),
      [],
    );
    deepEqual(await database.query("select * from queue.check_invariants()"), []);
  }
}

it("keeps the rules of groups over random histories", { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const history = new History();
      try {
        await history.run(steps);
      } finally {
        await history.abandon();
      }
    }),
    {
      numRuns: RUNS,
      ...(process.env["OXBOW_MODEL_SEED"] === undefined
        ? {}
        : { seed: Number(process.env["OXBOW_MODEL_SEED"]) }),
    },
  );
});
