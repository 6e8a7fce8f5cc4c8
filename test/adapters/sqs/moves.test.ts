/** Message move tasks: the AWS SDK starts, lists and cancels them, and servers carry them out. */
import {
  CancelMessageMoveTaskCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually, moreThan } from "../../helpers/eventually.ts";
import { startServerProcess } from "../../helpers/server-process.ts";
import { clientOf, refusalOf, sqsWorld } from "./clients.ts";

interface Queue {
  readonly url: string;
  readonly arn: string;
}

let queues = 0;

/** Queues of a client, and their tasks. */
function queuesOf(client: SQSClient, suffix = "") {
  const make = async (attributes: Record<string, string> = {}): Promise<Queue> => {
    queues += 1;
    const { QueueUrl: url = "" } = await client.send(
      new CreateQueueCommand({
        QueueName: `moves-${queues}${suffix}`,
        Attributes: {
          ...(suffix === "" ? {} : { FifoQueue: "true", ContentBasedDeduplication: "true" }),
          ...attributes,
        },
      }),
    );
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
    );
    return { url, arn: Attributes?.["QueueArn"] ?? "" };
  };
  const receive = async ({ url }: Queue): Promise<Message[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10 }),
    );
    return Messages;
  };
  const countOf = async ({ url }: Queue): Promise<number> => {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({
        QueueUrl: url,
        AttributeNames: ["ApproximateNumberOfMessages"],
      }),
    );
    return Number(Attributes?.["ApproximateNumberOfMessages"]);
  };
  const send = async ({ url }: Queue, bodies: readonly string[]): Promise<void> => {
    for (let from = 0; from < bodies.length; from += 10) {
      await client.send(
        new SendMessageBatchCommand({
          QueueUrl: url,
          Entries: bodies.slice(from, from + 10).map((MessageBody, index) => ({
            Id: `m${index}`,
            MessageBody,
            ...(suffix === "" ? {} : { MessageGroupId: "g" }),
          })),
        }),
      );
    }
  };
  /** A queue, and the one of its dead letters. */
  const makePair = async (): Promise<{ origin: Queue; letters: Queue }> => {
    const letters = await make();
    const policy = JSON.stringify({ deadLetterTargetArn: letters.arn, maxReceiveCount: 1 });
    return { letters, origin: await make({ RedrivePolicy: policy, VisibilityTimeout: "0" }) };
  };
  const die = async (origin: Queue, letters: Queue, bodies: readonly string[]): Promise<void> => {
    await send(origin, bodies);
    await eventually(async () => {
      await receive(origin);
      return countOf(letters);
    }, bodies.length);
  };
  const start = async (source: Queue, target?: Queue, rate?: number): Promise<string> => {
    const { TaskHandle = "" } = await client.send(
      new StartMessageMoveTaskCommand({
        SourceArn: source.arn,
        DestinationArn: target?.arn,
        MaxNumberOfMessagesPerSecond: rate,
      }),
    );
    return TaskHandle;
  };
  const list = async (
    { arn }: Queue,
    MaxResults?: number,
  ): Promise<ListMessageMoveTasksResultEntry[]> => {
    const { Results = [] } = await client.send(
      new ListMessageMoveTasksCommand({ SourceArn: arn, MaxResults }),
    );
    return Results;
  };
  const ended = async (source: Queue): Promise<ListMessageMoveTasksResultEntry | undefined> => {
    const [task] = await eventually(
      () => list(source),
      ([last]) => last?.Status !== "RUNNING",
    );
    return task;
  };
  return { make, makePair, receive, countOf, send, die, start, list, ended };
}

const { client, server } = await sqsWorld();
const bodiesOf = (messages: readonly Message[]): unknown[] => messages.map(({ Body }) => Body);

describe.each([
  ["a standard queue", ""],
  ["a FIFO queue", ".fifo"],
])("the dead letters of %s", (_, suffix) => {
  const { make, makePair, receive, countOf, die, start, ended } = queuesOf(client, suffix);

  it("are moved back to where they come from", async () => {
    const { origin, letters } = await makePair();
    await die(origin, letters, ["1", "2", "3"]);
    const before = Date.now();
    await start(letters);
    const task = await ended(letters);
    expect(task).toEqual({
      Status: "COMPLETED",
      SourceArn: letters.arn,
      ApproximateNumberOfMessagesMoved: 3,
      ApproximateNumberOfMessagesToMove: 3,
      StartedTimestamp: expect.any(Number),
    });
    expect(Math.abs((task?.StartedTimestamp ?? 0) - before)).toBeLessThan(60_000);
    expect([await countOf(letters), await countOf(origin)]).toEqual([0, 3]);
    expect(bodiesOf(await receive(origin))).toEqual(["1", "2", "3"]);
  });

  it("are moved to another queue, in order and no faster than asked for", async () => {
    const { origin, letters } = await makePair();
    const target = await make();
    const bodies = Array.from("abcdefghij");
    await die(origin, letters, bodies);
    const startedAt = performance.now();
    await start(letters, target, 10);
    expect(await ended(letters)).toMatchObject({
      Status: "COMPLETED",
      DestinationArn: target.arn,
      MaxNumberOfMessagesPerSecond: 10,
      ApproximateNumberOfMessagesMoved: 10,
    });
    // Five times two messages, a fifth of a second apart.
    expect(performance.now() - startedAt).toBeGreaterThan(800);
    expect(bodiesOf(await receive(target))).toEqual(bodies);
  });
});

/** One a second is not through before a busy machine has asked for the next thing. */
const MANY = Array.from({ length: 40 }, (_, index) => String(index));

describe("a task", () => {
  const { make, makePair, countOf, send, start, list, ended } = queuesOf(client, "");

  it("is the only one of its queue, and is cancelled", async () => {
    const { letters } = await makePair();
    const target = await make();
    await send(letters, MANY);
    const TaskHandle = await start(letters, target, 1);
    expect(TaskHandle).toMatch(/^[\w+/]+=*$/);
    expect(await refusalOf(start(letters))).toBe("InvalidParameterValue");
    await eventually(() => countOf(target), moreThan(0));
    expect(await list(letters)).toMatchObject([{ Status: "RUNNING", TaskHandle }]);
    const cancel = new CancelMessageMoveTaskCommand({ TaskHandle });
    const { ApproximateNumberOfMessagesMoved: moved = 0 } = await client.send(cancel);
    expect(moved).toBeGreaterThan(0);
    expect(await countOf(target)).toBe(moved);
    expect(await refusalOf(client.send(cancel))).toBe("ResourceNotFoundException");
    const [cancelled] = await list(letters);
    expect(cancelled).toMatchObject({
      Status: "CANCELLED",
      ApproximateNumberOfMessagesMoved: moved,
      ApproximateNumberOfMessagesToMove: MANY.length,
    });
    expect(cancelled?.TaskHandle).toBeUndefined();
    await start(letters, target);
    expect(await ended(letters)).toMatchObject({ Status: "COMPLETED" });
    expect(await list(letters, 10)).toMatchObject([
      { Status: "COMPLETED", ApproximateNumberOfMessagesToMove: MANY.length - moved },
      { Status: "CANCELLED" },
    ]);
  });

  it("fails when its target is deleted, or the origin of messages is unknown", async () => {
    const { letters } = await makePair();
    const target = await make();
    await send(letters, MANY);
    await start(letters, target, 1);
    await client.send(new DeleteQueueCommand({ QueueUrl: target.url }));
    expect(await ended(letters)).toMatchObject({
      Status: "FAILED",
      DestinationArn: target.arn,
      FailureReason: "AWS.SimpleQueueService.NonExistentQueue",
    });
    await start(letters);
    expect(await ended(letters)).toMatchObject({
      Status: "FAILED",
      FailureReason: "CouldNotDetermineMessageSource",
    });
  });

  it("is refused for wrong queues, rates and handles", async () => {
    const { origin, letters } = await makePair();
    const fifo = await queuesOf(client, ".fifo").make();
    const gone = { url: "", arn: letters.arn.replace(/[^:]+$/, "gone") };
    const cancel = (text: string): Promise<string> => {
      const TaskHandle = Buffer.from(text).toString("base64");
      return refusalOf(client.send(new CancelMessageMoveTaskCommand({ TaskHandle })));
    };
    const name = letters.arn.split(":").at(-1) ?? "";
    expect([
      await refusalOf(start(origin)),
      await refusalOf(start(letters, letters)),
      await refusalOf(start(letters, fifo)),
      await refusalOf(start({ url: "", arn: "nonsense" })),
      await refusalOf(start(letters, origin, 0)),
      await refusalOf(start(letters, origin, 501)),
      await refusalOf(list(letters, 0)),
      await refusalOf(list(letters, 11)),
      await cancel("nonsense"),
    ]).toEqual(Array.from({ length: 9 }, () => "InvalidParameterValue"));
    expect([
      await refusalOf(start(gone)),
      await refusalOf(start(letters, gone)),
      await refusalOf(list(gone)),
      await cancel("1 gone 1"),
      await cancel(`1 ${name} 4711`),
    ]).toEqual(Array.from({ length: 5 }, () => "ResourceNotFoundException"));
    expect(await list(letters)).toEqual([]);
    const answer = await fetch(server.url, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSQS.ListMessageMoveTasks" },
      body: JSON.stringify({ SourceArn: gone.arn }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        __type: "com.amazonaws.sqs#ResourceNotFoundException",
        message: "The resource that you specified for the SourceArn parameter doesn't exist.",
      },
    ]);
  });

  it("is listed by the query protocol", async () => {
    const { origin, letters } = await makePair();
    await send(letters, ["a"]);
    await start(letters, await make());
    await ended(letters);
    const answer = await fetch(origin.url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ Action: "ListMessageMoveTasks", SourceArn: letters.arn }),
    });
    const text = await answer.text();
    expect(text).toContain("<ListMessageMoveTasksResultEntry><Status>COMPLETED</Status>");
    expect(text).toMatch(/<SourceArn>arn:aws:sqs:[\w-]+:0{12}:moves-\d+<\/SourceArn>/);
  });
});

it("goes on in another server when its own is killed", async () => {
  const database = await createDatabase();
  const port = await findFreePort();
  const serve = () =>
    startServerProcess({ database: database.url, port, env: { OXBOW_SQS: "on" } });
  const first = await serve();
  const { make, makePair, receive, countOf, send, start, ended } = queuesOf(
    clientOf(`http://127.0.0.1:${port}`),
    ".fifo",
  );
  const { letters } = await makePair();
  const target = await make();
  const bodies = Array.from({ length: 80 }, (_, index) => String(index));
  await send(letters, bodies);
  await start(letters, target, 20);
  await eventually(() => countOf(target), moreThan(4));
  await first.kill();
  const name = letters.arn.split(":").at(-1);
  expect(await database.query("select status from queue.sqs_list_moves($1)", [name])).toEqual([
    { status: "running" },
  ]);
  const second = await serve();
  expect(await ended(letters)).toMatchObject({
    Status: "COMPLETED",
    ApproximateNumberOfMessagesMoved: 80,
  });
  expect([await countOf(letters), await countOf(target)]).toEqual([0, 80]);
  expect(bodiesOf(await receive(target))).toEqual(bodies.slice(0, 10));
  await second.stop();
});
