/** Real races, without a model: the conditions afterwards are checked over the notes of all sessions. */
import { deepEqual, equal } from "node:assert/strict";
import { expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { acknowledge, type Delivery, newQueue, receiveFifo, sendFifo } from "../helpers/queues.ts";
import { openSession, type Session } from "../helpers/session.ts";

const CONNECTIONS = 8;
const GROUPS = 20;
const MILLISECONDS = 3_000;
/** As many as it takes to race, on a machine that is busy with something else too. */
const LEAST_TURNS = 40;

const database = await createDatabase();

const chance = (share: number): boolean => Math.random() < share;
const anyGroup = (): string => `group ${Math.floor(Math.random() * GROUPS)}`;

/** The record of a race: each note is made before its subject is visible to another session. */
class Log {
  readonly acknowledged: Delivery[] = [];
  readonly twoAtOnce: Delivery[] = [];
  readonly #inFlight = new Map<string, string>();

  received(delivery: Delivery): void {
    const group = String(delivery.message_group_id);
    if (this.#inFlight.has(group)) this.twoAtOnce.push(delivery);
    this.#inFlight.set(group, delivery.receipt);
  }

  givesBack(delivery: Delivery): void {
    this.#inFlight.delete(String(delivery.message_group_id));
  }
}

class Client {
  readonly #session: Session;
  readonly #queue: string;
  readonly #log: Log;
  #next = 0;

  constructor(session: Session, queue: string, log: Log) {
    this.#session = session;
    this.#queue = queue;
    this.#log = log;
  }

  /** One to three messages to one group in one transaction, noted in the order of their commits. */
  async send(client: number): Promise<void> {
    const group = anyGroup();
    await this.#session.query(`begin ${chance(0.2) ? "isolation level repeatable read" : ""}`);
    for (let n = 0; n === 0 || (n < 3 && chance(0.3)); n += 1) {
      this.#next += 1;
      const message = { client, n: this.#next };
      await sendFifo(this.#session, this.#queue, message, group);
      // Under the group's lock, so that places are in the order of commits.
      await this.#session.query("insert into sent (grp, message) values ($1, $2)", [
        group,
        JSON.stringify(message),
      ]);
    }
    await this.#session.query(chance(0.15) ? "rollback" : "commit");
  }

  /** Receives, and acknowledges or gives back each delivery, at times in a transaction that comes to nothing. */
  async consume(): Promise<number> {
    const isTransaction = chance(0.3);
    const isUndone = isTransaction && chance(0.3);
    if (isTransaction) await this.#session.query("begin");
    const deliveries = await receiveFifo(this.#session, this.#queue, chance(0.5) ? 1 : 5);
    for (const delivery of deliveries) this.#log.received(delivery);
    for (const delivery of deliveries) {
      const isDone = chance(0.7);
      // No other session sees a transaction's work before it ends.
      if (!isTransaction) this.#log.givesBack(delivery);
      if (isDone && !isUndone) this.#log.acknowledged.push(delivery);
      if (isDone) {
        const isolated = !isTransaction && chance(0.2);
        if (isolated) await this.#session.query("begin isolation level repeatable read");
        equal(await acknowledge(this.#session, this.#queue, delivery), true);
        if (isolated) await this.#session.query("commit");
      } else {
        deepEqual(
          await this.#session.query("select queue.change_visibility($1, $2, 0) as alive", [
            this.#queue,
            delivery.receipt,
          ]),
          [{ alive: true }],
        );
      }
    }
    if (isTransaction) {
      for (const delivery of deliveries) this.#log.givesBack(delivery);
      await this.#session.query(isUndone ? "rollback" : "commit");
    }
    return deliveries.length;
  }
}

async function openClients(on: TestDatabase, queue: string, log: Log): Promise<Client[]> {
  const sessions = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => openSession(on)),
  );
  return sessions.map((session) => new Client(session, queue, log));
}

it("eight clients that send, receive, acknowledge and give back at once keep every promise", async () => {
  await database.query(
    "create table sent (place bigint generated always as identity, grp text, message jsonb)",
  );
  const queue = await newQueue(database, { fifo: true, visibilityTimeout: 3_600 });
  const log = new Log();
  const clients = await openClients(database, queue, log);
  const until = performance.now() + MILLISECONDS;
  await Promise.all(
    clients.map(async (client, index) => {
      for (let turn = 0; turn < LEAST_TURNS || performance.now() < until; turn += 1) {
        await (chance(0.5) ? client.send(index) : client.consume());
      }
    }),
  );
  await eventually(async () => {
    for (const client of clients) while ((await client.consume()) > 0);
    return database.query("select from queue.queue_stats($1) where visible > 0", [queue]);
  }, []);

  const sent = await database.query<{ grp: string; message: unknown }>(
    "select grp, message from sent order by grp, place",
  );
  const acknowledged = log.acknowledged
    .map(({ message_group_id: grp, message }) => ({ grp: String(grp), message }))
    // Stable: within a group, the order in which they were acknowledged.
    .toSorted((a, b) => (a.grp < b.grp ? -1 : Number(a.grp > b.grp)));
  expect(sent.length).toBeGreaterThan(100);
  expect(acknowledged).toEqual(sent);
  expect(log.twoAtOnce).toEqual([]);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  expect(
    await database.query("select visible, in_flight, delayed from queue.queue_stats($1)", [queue]),
  ).toEqual([{ visible: "0", in_flight: "0", delayed: "0" }]);
});
