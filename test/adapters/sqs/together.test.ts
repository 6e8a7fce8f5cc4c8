/**
 * Requests that arrive together, to one queue. They come over one connection, each before the one before it is answered,
 * so that the order in which they arrive is known.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { eventually, moreThan } from "../../helpers/eventually.ts";
import { atFileEnd } from "../../helpers/file-end.ts";
import { sqsWorld } from "./clients.ts";

const { client, database, server } = await sqsWorld();

interface Queue {
  readonly url: string;
  readonly table: string;
}

let queues = 0;
async function make(): Promise<Queue> {
  queues += 1;
  const { QueueUrl = "" } = await client.send(
    new CreateQueueCommand({
      QueueName: `lines-${queues}.fifo`,
      Attributes: { FifoQueue: "true", ContentBasedDeduplication: "true" },
    }),
  );
  return { url: QueueUrl, table: `queue."q_lines-${queues}"` };
}

/** A group and the number of a message in it, such as `a1`. */
interface Send {
  readonly body: string;
  readonly more?: object;
}

const inputOf = ({ url }: Queue, { body, more = {} }: Send): object => ({
  QueueUrl: url,
  MessageBody: body,
  MessageGroupId: body.slice(0, 1),
  ...more,
});

interface Sent {
  readonly MessageId: string;
  readonly SequenceNumber: string;
}

/** Writes all requests at once. */
async function pipeline(queue: Queue, sends: readonly Send[]): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  atFileEnd(() => {
    socket.destroy();
    return Promise.resolve([]);
  });
  const requests = sends.map((send) => {
    const body = JSON.stringify(inputOf(queue, send));
    return [
      "POST / HTTP/1.1",
      `host: ${hostname}:${port}`,
      "x-amz-target: AmazonSQS.SendMessage",
      "content-type: application/x-amz-json-1.0",
      `content-length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n");
  });
  socket.write(requests.join(""));
  return socket;
}

/** The answers, in the order of the requests. */
async function sendTogether(
  queue: Queue,
  sends: readonly Send[],
): Promise<(Sent & { readonly __type?: string })[]> {
  const socket = await pipeline(queue, sends);
  let text = "";
  const answers: (Sent & { readonly __type?: string })[] = [];
  for await (const chunk of socket) {
    text += String(chunk);
    for (;;) {
      const [head = "", rest] = text.split("\r\n\r\n", 2);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (rest === undefined || text.length < head.length + 4 + length) break;
      answers.push(
        JSON.parse(
          text.slice(head.length + 4, head.length + 4 + length),
        ) as (typeof answers)[number],
      );
      text = text.slice(head.length + 4 + length);
    }
    if (answers.length === sends.length) break;
  }
  return answers;
}

async function drain({ url }: Queue): Promise<Message[]> {
  const received: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ["All"],
      }),
    );
    if (Messages.length === 0) return received;
    received.push(...Messages);
    await Promise.all(
      Messages.map(({ ReceiptHandle }) =>
        client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle })),
      ),
    );
  }
}

const bodiesOf = (messages: readonly Message[]): string[] => messages.map(({ Body = "" }) => Body);

/** In how many transactions the messages of a queue were written. */
async function transactionsOf({ table }: Queue): Promise<number> {
  const [row] = await database.query(
    `select count(distinct xmin::text)::int as transactions from ${table}`,
  );
  return Number(row?.["transactions"]);
}

const GROUPS = Array.from("abcdefgh");
/** In order within each group, and of all groups by turns. */
const messages = (each: number): Send[] =>
  Array.from({ length: each }, (_, n) => GROUPS.map((group) => ({ body: `${group}${n}` }))).flat();

describe("sends to a FIFO queue that arrive together", () => {
  it("share transactions, keep the order of each group, and have the ids that their messages have", async () => {
    const queue = await make();
    const sends = messages(25);
    const sent = await sendTogether(queue, sends);
    expect(await transactionsOf(queue)).toBeLessThan(sends.length / 4);
    const received = await drain(queue);
    const known = (all: readonly Sent[], bodies: readonly string[]): string[] =>
      all.map(({ MessageId, SequenceNumber }, n) => `${bodies[n]} ${SequenceNumber} ${MessageId}`);
    const seen = received.map(({ MessageId = "", Attributes }) => ({
      MessageId,
      SequenceNumber: Attributes?.SequenceNumber ?? "",
    }));
    expect(known(seen, bodiesOf(received)).toSorted()).toEqual(
      known(
        sent,
        sends.map(({ body }) => body),
      ).toSorted(),
    );
    for (const group of GROUPS) {
      const ofGroup = <One>(all: readonly One[], bodyOf: (one: One) => string): string[] =>
        all.map(bodyOf).filter((body) => body.startsWith(group));
      expect(ofGroup(received, ({ Body = "" }) => Body)).toEqual(
        ofGroup(sends, ({ body }) => body),
      );
    }
  });

  it("are few transactions also by 50 connections of an SDK", async () => {
    const queue = await make();
    const sends = messages(25);
    await Promise.all(
      sends.map((send) => client.send(new SendMessageCommand(inputOf(queue, send) as never))),
    );
    expect(await transactionsOf(queue)).toBeLessThan(sends.length);
    expect(await drain(queue)).toHaveLength(sends.length);
  });

  it("are answered by the first message with their deduplication id, as one after the other", async () => {
    const queue = await make();
    const same = (body: string, id: string): Send => ({
      body,
      more: { MessageDeduplicationId: id },
    });
    const sent = await sendTogether(queue, [
      same("a1", "warm"),
      same("a2", "x"),
      same("b1", "y"),
      same("a3", "x"),
      same("b2", "x"),
      same("a4", "z"),
      same("b3", "y"),
    ]);
    const numbers = sent.map(({ SequenceNumber }) => SequenceNumber);
    const ids = sent.map(({ MessageId }) => MessageId);
    for (const all of [numbers, ids]) {
      expect(all[3]).toBe(all[1]);
      expect(all[4]).toBe(all[1]);
      expect(all[6]).toBe(all[2]);
      expect(new Set(all).size).toBe(4);
    }
    expect(bodiesOf(await drain(queue)).toSorted()).toEqual(["a1", "a2", "a4", "b1"]);
  });

  it("are not affected by one that is refused", async () => {
    const queue = await make();
    const sent = await sendTogether(queue, [
      { body: "a1" },
      { body: "a2", more: { DelaySeconds: 5 } },
      { body: "a3", more: { MessageGroupId: "g".repeat(129) } },
      { body: "a4", more: { MessageDeduplicationId: "d".repeat(129) } },
      { body: "a5" },
      { body: "b1" },
    ]);
    expect(sent.map(({ __type }) => __type !== undefined)).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(bodiesOf(await drain(queue)).toSorted()).toEqual(["a1", "a5", "b1"]);
  });

  it("are not affected by clients that disconnect", async () => {
    const queue = await make();
    const gone = await pipeline(queue, [{ body: "a1" }, { body: "b1" }, { body: "c1" }]);
    gone.destroySoon();
    const sends = [{ body: "a2" }, { body: "b2" }, { body: "a3" }, { body: "d1" }];
    const sent = await sendTogether(queue, sends);
    expect(sent.every(({ MessageId }) => MessageId.length === 36)).toBe(true);
    const bodies = bodiesOf(await drain(queue)).filter((body) => !/[abc]1/.test(body));
    expect(bodies.toSorted()).toEqual(["a2", "a3", "b2", "d1"]);
    expect(bodies.filter((body) => body.startsWith("a"))).toEqual(["a2", "a3"]);
  });

  it("wait for a transaction that has locked their group, and not for one that has locked another", async () => {
    const queue = await make();
    await sendTogether(queue, [{ body: "z1" }]);
    const session = await database.connect();
    await session.query("begin");
    const name = queue.table.replace('queue."q_', "").replace('"', "");
    await session.query("select queue.send_fifo($1, '\"a0\"', 'a')", [name]);
    const waiting = sendTogether(queue, [{ body: "a1" }, { body: "b1" }, { body: "a2" }]);
    await eventually(async () => {
      const { rows } = await session.query("select from pg_locks where not granted");
      return rows.length;
    }, moreThan(0));
    await sendTogether(queue, [{ body: "b2" }, { body: "c1" }]);
    const later = sendTogether(queue, [{ body: "a3" }, { body: "c2" }]);
    await sendTogether(queue, [{ body: "c3" }]);
    await session.query("commit");
    await Promise.all([waiting, later]);
    const bodies = bodiesOf(await drain(queue));
    const ofGroup = (group: string): string[] => bodies.filter((body) => body.startsWith(group));
    expect(ofGroup("a")).toEqual(["a0", "a1", "a2", "a3"]);
    expect(ofGroup("b")).toEqual(["b1", "b2"]);
    expect(ofGroup("c").toSorted()).toEqual(["c1", "c2", "c3"]);
  });
});

it("keeps the order of a batch behind a send that arrived before it", async () => {
  const queue = await make();
  await Promise.all([
    sendTogether(queue, [{ body: "a1" }, { body: "a2" }]),
    client.send(
      new SendMessageBatchCommand({
        QueueUrl: queue.url,
        Entries: ["b1", "b2", "c1", "b3"].map((MessageBody) => ({
          Id: MessageBody,
          MessageBody,
          MessageGroupId: MessageBody.slice(0, 1),
        })),
      }),
    ),
  ]);
  const bodies = bodiesOf(await drain(queue));
  expect(bodies.filter((body) => body.startsWith("a"))).toEqual(["a1", "a2"]);
  expect(bodies.filter((body) => body.startsWith("b"))).toEqual(["b1", "b2", "b3"]);
});

it("messages of a FIFO queue are deleted and given back together, each by its own handle", async () => {
  const queue = await make();
  await sendTogether(queue, messages(1));
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: queue.url, MaxNumberOfMessages: 10 }),
  );
  expect(Messages).toHaveLength(GROUPS.length);
  const [first, second, ...others] = Messages.map(({ ReceiptHandle }) => ({
    QueueUrl: queue.url,
    ReceiptHandle,
  }));
  await Promise.all([
    ...[second, ...others].map((input) => client.send(new DeleteMessageCommand(input as never))),
    client.send(new ChangeMessageVisibilityCommand({ ...first, VisibilityTimeout: 0 } as never)),
  ]);
  expect(bodiesOf(await drain(queue))).toEqual([Messages[0]?.Body]);
});
