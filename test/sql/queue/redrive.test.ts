import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually, isNotEmpty } from "../../helpers/eventually.ts";
import {
  acknowledge,
  messages,
  newMortalQueue,
  newQueue,
  only,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

const redrive = async (queue: string, maxMessages?: number): Promise<unknown> =>
  only(
    await database.query(
      maxMessages === undefined
        ? "select queue.redrive($1) as redriven"
        : `select queue.redrive($1, ${maxMessages}) as redriven`,
      [queue],
    ),
  )["redriven"];

/** A queue whose messages die at the second receive, and the queue of its dead letters. */
async function setup(
  kind: "standard" | "fifo" = "standard",
  letterKind = kind,
): Promise<{ queue: string; letters: string; die: (count: number) => Promise<void> }> {
  const letters = await newQueue(database, { fifo: letterKind === "fifo" });
  const queue = await newMortalQueue(database, letters, kind === "fifo");
  const receiveAny = kind === "fifo" ? receiveFifo : receive;
  const die = async (count: number): Promise<void> => {
    for (let round = 0; round <= count; round += 1) await receiveAny(database, queue, 100);
  };
  return { queue, letters, die };
}

describe("redrive", () => {
  it("sends dead letters back as new messages, without the dead letter header", async () => {
    const { queue, letters, die } = await setup();
    await send(database, queue, 1);
    await database.query("select queue.send($1, '2', 0, $2)", [queue, '{"trace": "t"}']);
    await die(1);

    expect(await redrive(letters)).toBe("2");
    expect(await redrive(letters)).toBe("0");
    expect(await receive(database, letters, 10)).toEqual([]);
    const deliveries = await receive(database, queue, 10);
    expect(deliveries).toMatchObject([
      { message: 1, headers: null, read_ct: 1 },
      { message: 2, headers: { trace: "t" }, read_ct: 1 },
    ]);
  });

  it("takes only the letters that are selected", async () => {
    const { queue, letters, die } = await setup();
    for (const message of [1, 2, 3]) await send(database, queue, message);
    await die(1);
    const redriveThese = (ids: readonly unknown[]) =>
      database.query("select queue.redrive($1, message_ids => $2) as redriven", [letters, ids]);
    const peeked = await database.query<{ msg_id: string; message: number }>(
      "select msg_id, message from queue.peek($1)",
      [letters],
    );
    const idOf = (message: number) => peeked.find((one) => one.message === message)?.msg_id;
    expect(await redriveThese([idOf(3), idOf(1), "4711"])).toEqual([{ redriven: "2" }]);
    expect(messages(await receive(database, queue, 10))).toEqual([1, 3]);
    expect(await redriveThese([])).toEqual([{ redriven: "0" }]);
    await expect(redriveThese(Array.from({ length: 10_001 }, (_, id) => id))).rejects.toMatchObject(
      { code: "OX004" },
    );
  });

  it("leaves a selected letter behind one of its group that is not", async () => {
    const { queue, letters, die } = await setup("fifo");
    for (const message of [1, 2]) await sendFifo(database, queue, message, "acme");
    await sendFifo(database, queue, 3, "other");
    await die(3);
    const peeked = await database.query<{ msg_id: string; message: number }>(
      "select msg_id, message from queue.peek($1)",
      [letters],
    );
    const ids = peeked.filter(({ message }) => message !== 1).map(({ msg_id: id }) => id);
    expect(
      await database.query("select queue.redrive($1, message_ids => $2) as redriven", [
        letters,
        ids,
      ]),
    ).toEqual([{ redriven: "1" }]);
    expect(await redrive(letters)).toBe("2");
  });

  it("takes as many as it may, oldest first", async () => {
    const { queue, letters, die } = await setup();
    for (const message of [1, 2, 3]) await send(database, queue, message);
    await die(1);
    expect(await redrive(letters, 2)).toBe("2");
    expect(messages(await receive(database, queue, 10))).toEqual([1, 2]);
  });

  it("sends each letter to its own queue", async () => {
    const { queue, letters, die } = await setup();
    const other = await newMortalQueue(database, letters);
    await send(database, queue, "one");
    await send(database, other, "other");
    await die(1);
    await receive(database, other);
    await receive(database, other);
    expect(await redrive(letters)).toBe("2");
    expect(messages(await receive(database, queue, 10))).toEqual(["one"]);
    expect(messages(await receive(database, other, 10))).toEqual(["other"]);
  });

  it("leaves letters in flight, what was sent here directly, and what has nowhere to go", async () => {
    const { queue, letters, die } = await setup();
    const unrelated = await newQueue(database);
    await send(database, queue, "in flight");
    await die(1);
    const inFlight = only(await receive(database, letters));
    await send(database, letters, "sent directly");
    for (const target of [unrelated, "nowhere", "__wf_nothing"]) {
      await database.query("select queue.send($1, '1', 0, $2)", [
        letters,
        JSON.stringify({ dead_letter: { queue: target } }),
      ]);
    }
    expect(await redrive(letters)).toBe("0");
    expect(await acknowledge(database, letters, inFlight)).toBe(true);
    expect(await receive(database, unrelated)).toEqual([]);
  });

  it("leaves letters with a made-up group that no queue would take, and sends the others", async () => {
    const { queue, letters } = await setup("fifo", "standard");
    for (const group of ["", "x".repeat(513), "good"]) {
      await database.query("select queue.send($1, '1', 0, $2)", [
        letters,
        JSON.stringify({ dead_letter: { queue, message_group_id: group } }),
      ]);
    }
    expect(await redrive(letters)).toBe("1");
    expect(only(await receiveFifo(database, queue, 10)).message_group_id).toBe("good");
  });

  it("goes one queue back at a time", async () => {
    const last = await newQueue(database);
    const letters = await newMortalQueue(database, last);
    const queue = await newMortalQueue(database, letters);
    await send(database, queue, 1);
    for (const on of [queue, queue, letters, letters]) await receive(database, on);
    expect(await redrive(last)).toBe("1");
    expect(await redrive(letters)).toBe("1");
    expect(only(await receive(database, queue))).toMatchObject({ message: 1, headers: null });
  });

  it.each(["fifo", "standard"] as const)(
    "sends FIFO messages to the end of their groups, in order, from a %s queue",
    async (letterKind) => {
      const { queue, letters, die } = await setup("fifo", letterKind);
      for (const message of [1, 2, 3]) await sendFifo(database, queue, message, "a");
      await sendFifo(database, queue, 1, "b");
      await die(3);
      await sendFifo(database, queue, 4, "a");

      expect(await redrive(letters)).toBe("4");
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
      const received: unknown[] = [];
      for (let round = 0; round < 4; round += 1) {
        const deliveries = await receiveFifo(database, queue, 10);
        for (const delivery of deliveries) {
          if (delivery.message_group_id === "a") received.push(delivery.message);
          await acknowledge(database, queue, delivery);
        }
      }
      expect(received).toEqual([4, 1, 2, 3]);
      expect(await receiveFifo(database, queue)).toEqual([]);
    },
  );

  it("takes a whole group while a transaction sends to it", async () => {
    const { queue, letters, die } = await setup("fifo");
    for (const message of [1, 2]) await sendFifo(database, queue, message, "group");
    await die(2);
    const other = await openTransaction(database);
    await sendFifo(other, letters, "sent directly", "group");
    expect(await redrive(letters)).toBe("2");
    expect(await receiveFifo(database, letters)).toEqual([]);
    await other.query("commit");

    const [letter] = await eventually(() => receiveFifo(database, letters), isNotEmpty);
    expect(letter?.message).toBe("sent directly");
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    const first = only(await receiveFifo(database, queue));
    await acknowledge(database, queue, first);
    expect([first.message, ...messages(await receiveFifo(database, queue))]).toEqual([1, 2]);
  });

  it("refuses an unknown queue, and to redrive less than one message", async () => {
    await expect(redrive("nowhere")).rejects.toMatchObject({ code: "OX001" });
    const { letters } = await setup();
    await expect(redrive(letters, 0)).rejects.toMatchObject({
      code: "OX004",
      message: "invalid max_messages 0",
    });
  });
});
