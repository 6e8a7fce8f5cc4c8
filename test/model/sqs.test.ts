/**
 * A FIFO queue through the AWS SDK, over random histories of two groups. The answers are held against rules of SQS:
 *   S1  what is received of a group is its oldest messages, in order and without a gap;
 *   S2  nothing is received of a group while a message of it is in flight;
 *   S3  a receive that returns fewer messages than it may has left nothing that is ready;
 *   S4  a message with a deduplication id of the last five minutes is answered by the id of the first one, and not sent;
 *   S5  a handle deletes its message until the visibility timeout is over, and again once it is gone; later it is refused;
 *   S6  at the end, what was not deleted is received, in order, and nothing else.
 */
import { deepEqual, ok } from "node:assert/strict";
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import fc from "fast-check";
import { beforeAll, it } from "vitest";
import { refusalOf, sqsWorld } from "../adapters/sqs/clients.ts";
import { uniqueQueueName } from "../helpers/queues.ts";
import { TestClock } from "./test-clock.ts";

const RUNS = Number(process.env["OXBOW_MODEL_RUNS"] ?? 40);
const GROUPS = ["red", "blue"];
const REMEMBERED_SECONDS = 300;

const { client, database } = await sqsWorld();
const clock = new TestClock(database);

beforeAll(() => clock.install());

interface Message {
  readonly body: string;
  readonly group: string;
  readonly id: string;
  readonly deduplicationId: string;
  readonly sentAt: number;
  leasedUntil: number;
  handle: string | undefined;
  reads: number;
  isDeleted: boolean;
}

interface HandedOut {
  readonly handle: string;
  readonly message: Message;
}

type Step =
  | { readonly kind: "send"; readonly group: string; readonly id: number }
  | { readonly kind: "receive"; readonly max: number; readonly timeout: number }
  | { readonly kind: "delete"; readonly pick: number }
  | { readonly kind: "change"; readonly pick: number; readonly seconds: number }
  | { readonly kind: "advance"; readonly seconds: number };

const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind("send"),
      group: fc.constantFrom(...GROUPS),
      id: fc.nat(12),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind("receive"),
      max: fc.constantFrom(1, 2, 3, 10),
      timeout: fc.constantFrom(0, 10, 30),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: kind("delete"), pick: fc.nat(12) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind("change"),
      pick: fc.nat(12),
      seconds: fc.constantFrom(0, 5, 40),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind("advance"), seconds: fc.constantFrom(1, 12, 40, 310) }),
  },
);

class History {
  readonly #messages: Message[] = [];
  readonly #handedOut: HandedOut[] = [];
  #url = "";
  #now = 0;
  #sent = 0;

  async run(steps: readonly Step[]): Promise<void> {
    await clock.restart();
    const { QueueUrl = "" } = await client.send(
      new CreateQueueCommand({
        QueueName: `${uniqueQueueName()}.fifo`,
        Attributes: { FifoQueue: "true" },
      }),
    );
    this.#url = QueueUrl;
    for (const one of steps) await this.#take(one);
    await this.#drain();
    await client.send(new DeleteQueueCommand({ QueueUrl }));
  }

  async #take(one: Step): Promise<void> {
    switch (one.kind) {
      case "send":
        return this.#send(one.group, `id-${one.id}`);
      case "receive":
        await this.#receive(one.max, one.timeout);
        return undefined;
      case "delete":
        return this.#delete(this.#picked(one.pick));
      case "change":
        return this.#change(this.#picked(one.pick), one.seconds);
      case "advance":
        return this.#advance(one.seconds);
      default:
        return one satisfies never;
    }
  }

  async #advance(seconds: number): Promise<void> {
    await clock.advance(seconds);
    this.#now += seconds;
  }

  async #send(group: string, deduplicationId: string): Promise<void> {
    this.#sent += 1;
    const body = `${this.#sent}`;
    const { MessageId: id = "" } = await client.send(
      new SendMessageCommand({
        QueueUrl: this.#url,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: deduplicationId,
      }),
    );
    const first = this.#messages.findLast(
      (one) =>
        one.deduplicationId === deduplicationId && this.#now - one.sentAt < REMEMBERED_SECONDS,
    );
    if (first !== undefined) {
      deepEqual(id, first.id);
      return;
    }
    deepEqual(
      this.#messages.filter((one) => one.id === id),
      [],
    );
    this.#messages.push({
      body,
      group,
      id,
      deduplicationId,
      sentAt: this.#now,
      leasedUntil: 0,
      handle: undefined,
      reads: 0,
      isDeleted: false,
    });
  }

  async #receive(max: number, timeout: number): Promise<number> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#url,
        MaxNumberOfMessages: max,
        VisibilityTimeout: timeout,
        MessageSystemAttributeNames: ["ApproximateReceiveCount", "MessageGroupId"],
      }),
    );
    ok(Messages.length <= max);
    const received = Messages.map(({ MessageId, Body, ReceiptHandle: handle = "", Attributes }) => {
      const message = this.#messages.find(({ id }) => id === MessageId);
      if (message === undefined) throw new Error(`Message ${String(Body)} was not sent.`);
      deepEqual([Body, Attributes?.MessageGroupId], [message.body, message.group]);
      return { handle, message, count: Number(Attributes?.ApproximateReceiveCount) };
    });
    for (const group of GROUPS) {
      const own = received.filter(({ message }) => message.group === group);
      const left = this.#left(group);
      if (own.length === 0) {
        if (Messages.length < max) deepEqual(this.#readyIn(group), 0);
        continue;
      }
      deepEqual(
        own.map(({ message }) => message.body),
        left.slice(0, own.length).map(({ body }) => body),
      );
      deepEqual(
        left.filter(({ leasedUntil }) => leasedUntil > this.#now),
        [],
      );
      if (Messages.length < max) ok(own.length >= this.#readyIn(group));
    }
    for (const { handle, message, count } of received) {
      message.reads += 1;
      deepEqual(count, message.reads);
      message.handle = handle;
      message.leasedUntil = this.#now + timeout;
      this.#handedOut.push({ handle, message });
    }
    return Messages.length;
  }

  /** How many messages a receive must return of a group. One that came back twice may be received by itself. */
  #readyIn(group: string): number {
    const left = this.#left(group);
    if (left.some(({ leasedUntil }) => leasedUntil > this.#now)) return 0;
    if (this.#messages.some(({ reads, isDeleted }) => reads >= 2 && !isDeleted)) return 0;
    return Math.min(left.length, 10);
  }

  #left(group: string): Message[] {
    return this.#messages.filter((one) => one.group === group && !one.isDeleted);
  }

  #picked(pick: number): HandedOut | undefined {
    const latest = Math.max(1, Math.min(this.#handedOut.length, 9));
    return this.#handedOut.at(-1 - (pick % latest));
  }

  async #delete(picked: HandedOut | undefined): Promise<void> {
    if (picked === undefined) return;
    const { handle, message } = picked;
    const isInFlight = message.handle === handle && message.leasedUntil > this.#now;
    const answer = await refusalOf(
      client.send(new DeleteMessageCommand({ QueueUrl: this.#url, ReceiptHandle: handle })),
    );
    deepEqual(answer, message.isDeleted || isInFlight ? "no error" : "InvalidParameterValue");
    if (isInFlight) message.isDeleted = true;
  }

  async #change(picked: HandedOut | undefined, seconds: number): Promise<void> {
    if (picked === undefined) return;
    const { handle, message } = picked;
    const isInFlight =
      !message.isDeleted && message.handle === handle && message.leasedUntil > this.#now;
    const answer = await refusalOf(
      client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: this.#url,
          ReceiptHandle: handle,
          VisibilityTimeout: seconds,
        }),
      ),
    );
    const refusal = message.isDeleted ? "InvalidParameterValue" : "MessageNotInflight";
    deepEqual(answer, isInFlight ? "no error" : refusal);
    if (isInFlight) message.leasedUntil = this.#now + seconds;
  }

  async #drain(): Promise<void> {
    await this.#advance(100);
    for (let round = 0; this.#messages.some(({ isDeleted }) => !isDeleted); round += 1) {
      ok(round < 200);
      await this.#receive(10, 30);
      for (const one of this.#handedOut.filter(({ message }) => !message.isDeleted)) {
        if (one.message.handle === one.handle) await this.#delete(one);
      }
      await this.#advance(2);
    }
    deepEqual(await this.#receive(10, 0), 0);
  }
}

it("of a FIFO queue hold over random histories", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) =>
      new History().run(steps),
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 300_000);
