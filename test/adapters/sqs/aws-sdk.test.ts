/** The AWS SDK for JavaScript as a client: every action, its answers and its errors. It checks digests by itself. */
import {
  AddPermissionCommand,
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  RemovePermissionCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { eventually } from "../../helpers/eventually.ts";
import { refusalOf, sqsWorld } from "./clients.ts";

const { client, database, server } = await sqsWorld();

let queues = 0;
/** Url of a queue of the test. */
async function make(attributes?: Record<string, string>, suffix = ""): Promise<string> {
  queues += 1;
  const QueueName = `queue-${queues}${suffix}`;
  const { QueueUrl = "" } = await client.send(
    new CreateQueueCommand({ QueueName, ...(attributes && { Attributes: attributes }) }),
  );
  return QueueUrl;
}
const makeFifo = (attributes: Record<string, string> = {}): Promise<string> =>
  make({ FifoQueue: "true", ...attributes }, ".fifo");

const send = (QueueUrl: string, MessageBody: string, more: object = {}): Promise<unknown> =>
  client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));

async function receive(
  QueueUrl: string,
  more: Partial<ReceiveMessageCommandInput> = {},
): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...more }),
  );
  return Messages;
}

const bodiesOf = (messages: readonly Message[]): unknown[] => messages.map(({ Body }) => Body);

const attributesOf = async (QueueUrl: string, ...names: string[]): Promise<object> => {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: names as never }),
  );
  return Attributes;
};

const arnOf = async (url: string): Promise<string> =>
  ((await attributesOf(url, "QueueArn")) as { QueueArn: string }).QueueArn;

describe("a queue", () => {
  it("is created, found, listed and deleted", async () => {
    const made = await client.send(new CreateQueueCommand({ QueueName: "Orders_1" }));
    expect(made.QueueUrl).toBe(`${server.url}/000000000000/Orders_1`);
    const found = await client.send(new GetQueueUrlCommand({ QueueName: "Orders_1" }));
    expect(found.QueueUrl).toBe(made.QueueUrl);
    const again = await client.send(
      new CreateQueueCommand({ QueueName: "Orders_1", Attributes: { DelaySeconds: "0" } }),
    );
    expect(again.QueueUrl).toBe(made.QueueUrl);
    const listed = await client.send(new ListQueuesCommand({ QueueNamePrefix: "Ord" }));
    expect(listed.QueueUrls).toEqual([made.QueueUrl]);
    await client.send(new DeleteQueueCommand({ QueueUrl: made.QueueUrl }));
    expect(await refusalOf(client.send(new GetQueueUrlCommand({ QueueName: "Orders_1" })))).toBe(
      "QueueDoesNotExist",
    );
  });

  it("has the attributes of its creation, and later ones", async () => {
    const url = await make({ VisibilityTimeout: "45", MaximumMessageSize: "2048" });
    expect(await attributesOf(url, "All")).toEqual({
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesDelayed: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
      CreatedTimestamp: expect.stringMatching(/^\d{10}$/),
      DelaySeconds: "0",
      LastModifiedTimestamp: expect.stringMatching(/^\d{10}$/),
      MaximumMessageSize: "2048",
      MessageRetentionPeriod: "345600",
      QueueArn: expect.stringMatching(/^arn:aws:sqs:eu-central-1:000000000000:queue-\d+$/),
      ReceiveMessageWaitTimeSeconds: "0",
      SqsManagedSseEnabled: "false",
      VisibilityTimeout: "45",
    });
    await client.send(
      new SetQueueAttributesCommand({
        QueueUrl: url,
        Attributes: { DelaySeconds: "3", ReceiveMessageWaitTimeSeconds: "2" },
      }),
    );
    expect(
      await attributesOf(url, "DelaySeconds", "ReceiveMessageWaitTimeSeconds", "VisibilityTimeout"),
    ).toEqual({ DelaySeconds: "3", ReceiveMessageWaitTimeSeconds: "2", VisibilityTimeout: "45" });
  });

  it.each([
    ["DelaySeconds", "901", "InvalidAttributeValue"],
    ["DelaySeconds", "x", "InvalidAttributeValue"],
    ["VisibilityTimeout", "-1", "InvalidAttributeValue"],
    ["MessageRetentionPeriod", "59", "InvalidAttributeValue"],
    ["MaximumMessageSize", "1048577", "InvalidAttributeValue"],
    ["ReceiveMessageWaitTimeSeconds", "21", "InvalidAttributeValue"],
    ["ContentBasedDeduplication", "true", "InvalidAttributeName"],
    ["Colour", "red", "InvalidAttributeName"],
    ["Policy", "{}", "UnsupportedOperation"],
    ["KmsMasterKeyId", "alias/a", "UnsupportedOperation"],
    ["SqsManagedSseEnabled", "true", "UnsupportedOperation"],
    ["RedrivePolicy", "{}", "InvalidParameterValue"],
    ["RedrivePolicy", "no", "InvalidAttributeValue"],
  ])("is refused with %s %s", async (name, value, error) => {
    expect(await refusalOf(make({ [name]: value }))).toBe(error);
  });

  it.each(["a b", "a.b", "x".repeat(81), "wrong.fifo"])("is refused as %s", async (QueueName) => {
    expect(await refusalOf(client.send(new CreateQueueCommand({ QueueName })))).toBe(
      "InvalidParameterValue",
    );
  });

  it("is refused with other attributes than it has", async () => {
    await client.send(
      new CreateQueueCommand({ QueueName: "same", Attributes: { DelaySeconds: "1" } }),
    );
    const other = new CreateQueueCommand({ QueueName: "same", Attributes: { DelaySeconds: "2" } });
    expect(await refusalOf(client.send(other))).toBe("QueueNameExists");
  });

  it("is listed by pages", async () => {
    for (const name of ["page-a", "page-b", "page-c"]) {
      await client.send(new CreateQueueCommand({ QueueName: name }));
    }
    const names: string[] = [];
    let NextToken: string | undefined;
    do {
      const page = await client.send(
        new ListQueuesCommand({ QueueNamePrefix: "page-", MaxResults: 2, NextToken }),
      );
      names.push(...(page.QueueUrls ?? []).map((url) => url.split("/").at(-1) ?? ""));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    expect(names).toEqual(["page-a", "page-b", "page-c"]);
    const wrong = new ListQueuesCommand({ MaxResults: 1_001 });
    expect(await refusalOf(client.send(wrong))).toBe("InvalidParameterValue");
  });

  it("is purged once a minute", async () => {
    const QueueUrl = await make();
    await send(QueueUrl, "a");
    await client.send(new PurgeQueueCommand({ QueueUrl }));
    expect(await receive(QueueUrl)).toEqual([]);
    expect(await refusalOf(client.send(new PurgeQueueCommand({ QueueUrl })))).toBe(
      "PurgeQueueInProgress",
    );
  });

  it("has tags", async () => {
    const QueueUrl = await make();
    const tags = async (): Promise<unknown> =>
      (await client.send(new ListQueueTagsCommand({ QueueUrl }))).Tags;
    expect(await tags()).toBeUndefined();
    await client.send(new TagQueueCommand({ QueueUrl, Tags: { team: "a", cost: "b" } }));
    await client.send(new UntagQueueCommand({ QueueUrl, TagKeys: ["cost", "no"] }));
    expect(await tags()).toEqual({ team: "a" });
    const reserved = new TagQueueCommand({ QueueUrl, Tags: { "aws:x": "" } });
    expect(await refusalOf(client.send(reserved))).toBe("InvalidParameterValue");
  });

  it("has no policies", async () => {
    const QueueUrl = await make();
    const add = { QueueUrl, Label: "a", AWSAccountIds: ["1"], Actions: ["SendMessage"] };
    expect(await refusalOf(client.send(new AddPermissionCommand(add)))).toBe(
      "UnsupportedOperation",
    );
    expect(
      await refusalOf(client.send(new RemovePermissionCommand({ QueueUrl, Label: "a" }))),
    ).toBe("UnsupportedOperation");
  });
});

describe("a message", () => {
  it("arrives as it was sent, with its attributes", async () => {
    const url = await make();
    const body = 'tab\tquote" 漢字 🚀 \u0085 </x> \\u0041';
    const MessageAttributes = {
      city: { DataType: "String", StringValue: "Zürich" },
      "n.1": { DataType: "Number.int", StringValue: "-1.5e3" },
      raw: { DataType: "Binary", BinaryValue: Buffer.from([0, 1, 254]) },
    };
    const sent = (await send(url, body, { MessageAttributes })) as { MessageId: string };
    const [message] = await receive(url, {
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
    });
    expect(message).toMatchObject({ Body: body, MessageId: sent.MessageId });
    expect(message?.MessageAttributes).toEqual({
      ...MessageAttributes,
      raw: { DataType: "Binary", BinaryValue: new Uint8Array([0, 1, 254]) },
    });
    expect(message?.Attributes).toEqual({
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
      ApproximateReceiveCount: "1",
      SenderId: "anyone",
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
    });
    expect(message?.ReceiptHandle?.length).toBeGreaterThan(100);
  });

  it("shows only the attributes that are asked for", async () => {
    const url = await make({ VisibilityTimeout: "0" });
    const text = (StringValue: string): object => ({ DataType: "String", StringValue });
    await send(url, "a", {
      MessageAttributes: { "trace.id": text("1"), "trace.at": text("2"), user: text("3") },
      MessageSystemAttributes: { AWSTraceHeader: text("Root=1-5759e988") },
    });
    const names = async (...wanted: string[]): Promise<string[]> => {
      const [message] = await receive(url, { MessageAttributeNames: wanted });
      return Object.keys(message?.MessageAttributes ?? {}).toSorted();
    };
    expect(await names()).toEqual([]);
    expect(await names("trace.*")).toEqual(["trace.at", "trace.id"]);
    expect(await names("user", "no")).toEqual(["user"]);
    expect(await names(".*")).toEqual(["trace.at", "trace.id", "user"]);
    const [message] = await receive(url, { MessageSystemAttributeNames: ["AWSTraceHeader"] });
    expect(message?.Attributes).toEqual({ AWSTraceHeader: "Root=1-5759e988" });
  });

  it("is invisible while it is in flight, and comes back with a greater count", async () => {
    const url = await make({ VisibilityTimeout: "60" });
    await send(url, "a");
    const [first] = await receive(url);
    expect(await receive(url)).toEqual([]);
    expect(await attributesOf(url, "ApproximateNumberOfMessagesNotVisible")).toEqual({
      ApproximateNumberOfMessagesNotVisible: "1",
    });
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: first?.ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    );
    const [second] = await receive(url, {
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    });
    expect(second?.Attributes).toEqual({ ApproximateReceiveCount: "2" });
    expect(second?.MessageId).toBe(first?.MessageId);
    const stale = { QueueUrl: url, ReceiptHandle: first?.ReceiptHandle };
    expect(
      await refusalOf(
        client.send(new ChangeMessageVisibilityCommand({ ...stale, VisibilityTimeout: 5 })),
      ),
    ).toBe("MessageNotInflight");
    await client.send(new DeleteMessageCommand(stale));
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: second?.ReceiptHandle }),
    );
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: second?.ReceiptHandle }),
    );
    expect(
      await attributesOf(
        url,
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
      ),
    ).toEqual({
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
    });
  });

  it.each([
    ["a standard", "", {}],
    ["a FIFO", ".fifo", { FifoQueue: "true", ContentBasedDeduplication: "true" }],
  ])(
    "of %s queue keeps its visibility once it is no longer in flight",
    async (_, suffix, attributes) => {
      const QueueUrl = await make(attributes, suffix);
      await send(QueueUrl, "a", { MessageGroupId: "g" });
      const [expired] = await receive(QueueUrl, { VisibilityTimeout: 0 });
      const extend = ({ ReceiptHandle }: Message, VisibilityTimeout = 60): Promise<string> =>
        refusalOf(
          client.send(
            new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
          ),
        );
      expect(await extend(expired ?? {})).toBe("MessageNotInflight");
      const [held = {}] = await receive(QueueUrl, { VisibilityTimeout: 60 });
      expect(await extend(held)).toBe("no error");
      expect(await extend(held, 0)).toBe("no error");
      expect(await extend(held)).toBe("MessageNotInflight");
      const { ReceiptHandle } = held;
      const { Failed } = await client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl,
          Entries: [{ Id: "m", ReceiptHandle, VisibilityTimeout: 60 }],
        }),
      );
      expect(Failed).toMatchObject([
        { Id: "m", Code: "AWS.SimpleQueueService.MessageNotInflight", SenderFault: true },
      ]);
      expect(bodiesOf(await receive(QueueUrl))).toEqual(["a"]);
    },
  );

  it("ends a wait as soon as it is sent", async () => {
    const url = await make({ ReceiveMessageWaitTimeSeconds: "20" });
    const waiting = receive(url);
    await send(url, "a");
    expect(bodiesOf(await waiting)).toEqual(["a"]);
  });

  it("is delayed by its queue, or by itself", async () => {
    const url = await make({ DelaySeconds: "900" });
    await send(url, "later");
    await send(url, "now", { DelaySeconds: 0 });
    expect(bodiesOf(await receive(url))).toEqual(["now"]);
    expect(await attributesOf(url, "ApproximateNumberOfMessagesDelayed")).toEqual({
      ApproximateNumberOfMessagesDelayed: "1",
    });
  });

  it("is what SQL sends in a transaction, as JSON text", async () => {
    const url = await make();
    const name = url.split("/").at(-1);
    await database.query("select queue.send($1, '{\"order\": 7}')", [name]);
    expect(bodiesOf(await receive(url))).toEqual(['{"order":7}']);
    await send(url, "plain");
    const rows = await database.query("select message from queue.receive($1)", [name]);
    expect(rows).toEqual([{ message: "plain" }]);
  });

  it.each([
    { attributes: { n: { DataType: "Number", StringValue: 42 } } },
    { attributes: { n: { DataType: "Binary", BinaryValue: null } } },
    { attributes: { n: "order" } },
    { attributes: { n: null } },
    { attributes: "order" },
    { trace: 1, sender: {}, groupId: 2, deduplicationId: [] },
    "order",
    null,
  ])("arrives with its neighbours, though SQL sent the header %j", async (header) => {
    const url = await make();
    const name = url.split("/").at(-1);
    const attributes = { city: { DataType: "String", StringValue: "Bern" } };
    for (const sqs of [header, { attributes }]) {
      await database.query("select queue.send($1, '{}', headers => $2)", [
        name,
        JSON.stringify({ sqs }),
      ]);
    }
    const received = await receive(url, {
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
    });
    expect(received.map(({ MessageAttributes }) => MessageAttributes)).toEqual([
      undefined,
      attributes,
    ]);
    expect(Object.keys(received[0]?.Attributes ?? {}).toSorted()).toEqual([
      "ApproximateFirstReceiveTimestamp",
      "ApproximateReceiveCount",
      "SentTimestamp",
    ]);
  });

  it.each([
    ["no body", "", {}, "MissingParameter"],
    ["a character that XML has not", "a\u0000b", {}, "InvalidMessageContents"],
    ["half of a character", "a\uD800b", {}, "InvalidMessageContents"],
    ["a long delay", "a", { DelaySeconds: 901 }, "InvalidParameterValue"],
    ["a deduplication id", "a", { MessageDeduplicationId: "1" }, "InvalidParameterValue"],
    ["a long group", "a", { MessageGroupId: "x".repeat(129) }, "InvalidParameterValue"],
    [
      "an attribute without a type",
      "a",
      { MessageAttributes: { a: { DataType: "", StringValue: "1" } } },
      "InvalidParameterValue",
    ],
    [
      "an attribute of an unknown type",
      "a",
      { MessageAttributes: { a: { DataType: "Text", StringValue: "1" } } },
      "InvalidParameterValue",
    ],
    [
      "an empty attribute",
      "a",
      { MessageAttributes: { a: { DataType: "String", StringValue: "" } } },
      "InvalidParameterValue",
    ],
    [
      "a number with a letter",
      "a",
      { MessageAttributes: { a: { DataType: "Number", StringValue: "1x" } } },
      "InvalidParameterValue",
    ],
    [
      "a reserved name",
      "a",
      { MessageAttributes: { "AWS.a": { DataType: "String", StringValue: "1" } } },
      "InvalidParameterValue",
    ],
  ])("is refused with %s", async (_what, body, more, error) => {
    expect(await refusalOf(send(await make(), body, more))).toBe(error);
  });

  it("is refused beyond the size of its queue, and sent up to it", async () => {
    const url = await make({ MaximumMessageSize: "1024" });
    await send(url, "é".repeat(512));
    expect(await refusalOf(send(url, "é".repeat(513)))).toBe("InvalidParameterValue");
    const large = await make();
    await send(large, "x".repeat(1_048_576));
    expect((await receive(large))[0]?.Body?.length).toBe(1_048_576);
  });
});

describe("a batch", () => {
  const entries = (...bodies: string[]): { Id: string; MessageBody: string }[] =>
    bodies.map((MessageBody, index) => ({ Id: `id-${index}`, MessageBody }));

  it("is sent and deleted, and a bad entry spoils no other", async () => {
    const QueueUrl = await make();
    const sent = await client.send(
      new SendMessageBatchCommand({ QueueUrl, Entries: entries("a", "", "c") }),
    );
    expect(sent.Successful?.map(({ Id }) => Id)).toEqual(["id-0", "id-2"]);
    expect(sent.Failed).toEqual([
      {
        Id: "id-1",
        Code: "MissingParameter",
        Message: "The request must contain the parameter MessageBody.",
        SenderFault: true,
      },
    ]);
    const messages = await receive(QueueUrl);
    expect(bodiesOf(messages)).toEqual(["a", "c"]);
    const handles = [...messages.map(({ ReceiptHandle }) => ReceiptHandle), "nonsense"];
    const deleted = await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
    expect(deleted.Successful?.map(({ Id }) => Id)).toEqual(["0", "1"]);
    expect(deleted.Failed).toMatchObject([{ Id: "2", Code: "ReceiptHandleIsInvalid" }]);
  });

  it("changes visibility", async () => {
    const QueueUrl = await make();
    await client.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries("a", "b") }));
    const messages = await receive(QueueUrl);
    const changed = await client.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: messages.map(({ ReceiptHandle }, index) => ({
          Id: `m${index}`,
          ReceiptHandle,
          VisibilityTimeout: index === 0 ? 0 : 43_201,
        })),
      }),
    );
    expect(changed.Successful).toEqual([{ Id: "m0" }]);
    expect(changed.Failed).toMatchObject([{ Id: "m1", Code: "InvalidParameterValue" }]);
    expect(bodiesOf(await receive(QueueUrl))).toEqual(["a"]);
  });

  it.each([
    ["without entries", [], "EmptyBatchRequest"],
    ["of eleven", entries(...Array.from("abcdefghijk")), "TooManyEntriesInBatchRequest"],
    ["with an id twice", [...entries("a"), ...entries("b")], "BatchEntryIdsNotDistinct"],
    ["with a bad id", [{ Id: "a b", MessageBody: "a" }], "InvalidBatchEntryId"],
    [
      "of more than a mebibyte",
      entries("x".repeat(600_000), "y".repeat(600_000)),
      "BatchRequestTooLong",
    ],
  ])("%s is refused as a whole", async (_what, Entries, error) => {
    const QueueUrl = await make();
    expect(await refusalOf(client.send(new SendMessageBatchCommand({ QueueUrl, Entries })))).toBe(
      error,
    );
    expect(await receive(QueueUrl)).toEqual([]);
  });
});

describe("a FIFO queue", () => {
  it("keeps the order of each group, gives several of a group, and no other while one is in flight", async () => {
    const url = await makeFifo({ ContentBasedDeduplication: "true" });
    for (const body of ["a1", "a2", "b1", "a3"]) {
      await send(url, body, { MessageGroupId: body.slice(0, 1) });
    }
    const messages = await receive(url, {
      MessageSystemAttributeNames: ["All"],
      MaxNumberOfMessages: 10,
    });
    expect(bodiesOf(messages)).toEqual(["a1", "a2", "a3", "b1"]);
    expect(messages[0]?.Attributes).toMatchObject({
      MessageGroupId: "a",
      MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
      SequenceNumber: expect.stringMatching(/^\d{20}$/),
    });
    await send(url, "a4", { MessageGroupId: "a" });
    expect(await receive(url)).toEqual([]);
    for (const { ReceiptHandle } of messages) {
      await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
    }
    expect(bodiesOf(await receive(url))).toEqual(["a4"]);
  });

  it("drops a message with a deduplication id that it has had, also after a delete", async () => {
    const url = await makeFifo();
    const more = { MessageGroupId: "g", MessageDeduplicationId: "1" };
    const first = await send(url, "a", more);
    expect(await send(url, "b", more)).toMatchObject({
      MessageId: (first as { MessageId: string }).MessageId,
      SequenceNumber: (first as { SequenceNumber: string }).SequenceNumber,
    });
    const [message] = await receive(url);
    expect(message?.Body).toBe("a");
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }),
    );
    await send(url, "c", more);
    expect(await receive(url)).toEqual([]);
  });

  it("drops duplicates within a batch", async () => {
    const QueueUrl = await makeFifo();
    const entry = (Id: string, id: string): object => ({
      Id,
      MessageBody: Id,
      MessageGroupId: "g",
      MessageDeduplicationId: id,
    });
    const { Successful = [] } = await client.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: [entry("x", "1"), entry("y", "2"), entry("z", "1")] as never,
      }),
    );
    expect(Successful.map(({ MessageId }) => MessageId)).toEqual([
      Successful[0]?.MessageId,
      Successful[1]?.MessageId,
      Successful[0]?.MessageId,
    ]);
    expect(bodiesOf(await receive(QueueUrl))).toEqual(["x", "y"]);
  });

  it.each([
    ["without a group", {}, "MissingParameter"],
    ["without an id", { MessageGroupId: "g" }, "InvalidParameterValue"],
    [
      "with a delay",
      { MessageGroupId: "g", MessageDeduplicationId: "1", DelaySeconds: 1 },
      "InvalidParameterValue",
    ],
  ])("refuses a message %s", async (_what, more, error) => {
    expect(await refusalOf(send(await makeFifo(), "a", more))).toBe(error);
  });

  it("is not found by the name of a standard queue, nor with FifoQueue false", async () => {
    expect(await refusalOf(make({ FifoQueue: "true" }))).toBe("InvalidParameterValue");
    expect(await refusalOf(make({ FifoQueue: "false" }, ".fifo"))).toBe("InvalidParameterValue");
  });

  it("refuses to delete by a handle whose time is over, and accepts one of a deleted message", async () => {
    const QueueUrl = await makeFifo({ ContentBasedDeduplication: "true" });
    await send(QueueUrl, "a", { MessageGroupId: "g" });
    const [first] = await receive(QueueUrl, { VisibilityTimeout: 0 });
    const late = new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle });
    expect(await refusalOf(client.send(late))).toBe("InvalidParameterValue");
    const [second] = await receive(QueueUrl);
    const inTime = { QueueUrl, ReceiptHandle: second?.ReceiptHandle };
    await client.send(new DeleteMessageCommand(inTime));
    await client.send(new DeleteMessageCommand(inTime));
  });

  it("forgets deduplication ids when it is purged", async () => {
    const QueueUrl = await makeFifo({ ContentBasedDeduplication: "true" });
    await send(QueueUrl, "a", { MessageGroupId: "g" });
    await client.send(new PurgeQueueCommand({ QueueUrl }));
    await send(QueueUrl, "a", { MessageGroupId: "g" });
    expect(bodiesOf(await receive(QueueUrl))).toEqual(["a"]);
  });

  it("looks for duplicates within a group, if it is set so", async () => {
    const url = await makeFifo({
      DeduplicationScope: "messageGroup",
      FifoThroughputLimit: "perMessageGroupId",
      ContentBasedDeduplication: "true",
    });
    await send(url, "a", { MessageGroupId: "g" });
    await send(url, "a", { MessageGroupId: "h" });
    await send(url, "a", { MessageGroupId: "g" });
    expect(bodiesOf(await receive(url))).toEqual(["a", "a"]);
  });
});

describe("dead letters", () => {
  it("move with their ids, name their source, and hold their queue", async () => {
    const dead = await make();
    const policy = { deadLetterTargetArn: await arnOf(dead), maxReceiveCount: 1 };
    const url = await make({ RedrivePolicy: JSON.stringify(policy), VisibilityTimeout: "0" });
    expect(await attributesOf(url, "RedrivePolicy")).toEqual({
      RedrivePolicy: JSON.stringify(policy),
    });
    const sent = await send(url, "a");
    const [first] = await receive(url);
    expect(first?.Body).toBe("a");
    expect(await receive(url)).toEqual([]);
    const [letter] = await receive(dead, { MessageSystemAttributeNames: ["All"] });
    expect(letter).toMatchObject({
      Body: "a",
      MessageId: (sent as { MessageId: string }).MessageId,
    });
    expect(letter?.Attributes?.DeadLetterQueueSourceArn).toBe(await arnOf(url));
    const { queueUrls } = await client.send(
      new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }),
    );
    expect(queueUrls).toEqual([url]);
    expect(await refusalOf(client.send(new DeleteQueueCommand({ QueueUrl: dead })))).toBe(
      "UnsupportedOperation",
    );
    await client.send(
      new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { RedrivePolicy: "" } }),
    );
    await client.send(new DeleteQueueCommand({ QueueUrl: dead }));
  });

  it.each(["", ".fifo"])(
    "are messages that came back too often together, in a queue of kind %j",
    async (suffix) => {
      const kind: Record<string, string> =
        suffix === "" ? {} : { FifoQueue: "true", ContentBasedDeduplication: "true" };
      const dead = await make(kind, suffix);
      const RedrivePolicy = JSON.stringify({
        deadLetterTargetArn: await arnOf(dead),
        maxReceiveCount: 2,
      });
      const url = await make({ ...kind, RedrivePolicy, VisibilityTimeout: "1" }, suffix);
      const group = suffix === "" ? {} : { MessageGroupId: "g" };
      for (const body of ["a", "b", "c"]) await send(url, body, group);
      const counts: Record<string, number> = {};
      await eventually(
        async () => {
          const messages = await receive(url, { WaitTimeSeconds: 2 });
          for (const body of bodiesOf(messages))
            counts[String(body)] = (counts[String(body)] ?? 0) + 1;
          return attributesOf(dead, "ApproximateNumberOfMessages");
        },
        (attributes) => Object.values(attributes).join() === "3",
      );
      expect(counts).toEqual({ a: 2, b: 2, c: 2 });
      expect(new Set(bodiesOf(await receive(dead)))).toEqual(new Set(["a", "b", "c"]));
    },
  );

  it("go only to queues of the same kind that allow it", async () => {
    const fifo = await makeFifo();
    const closed = await make({ RedriveAllowPolicy: '{"redrivePermission":"denyAll"}' });
    for (const target of [fifo, closed]) {
      const RedrivePolicy = JSON.stringify({
        deadLetterTargetArn: await arnOf(target),
        maxReceiveCount: 3,
      });
      expect(await refusalOf(make({ RedrivePolicy }))).toBe("InvalidParameterValue");
    }
  });
});

describe("what is wrong", () => {
  it("is named for a queue that doesn't exist, and for a handle of another queue", async () => {
    const gone = `${server.url}/000000000000/gone`;
    expect(await refusalOf(send(gone, "a"))).toBe("QueueDoesNotExist");
    expect(await refusalOf(receive(gone))).toBe("QueueDoesNotExist");
    const [one, other] = [await make(), await make()];
    await send(one, "a");
    const [message] = await receive(one);
    const wrong = { QueueUrl: other, ReceiptHandle: message?.ReceiptHandle };
    expect(await refusalOf(client.send(new DeleteMessageCommand(wrong)))).toBe(
      "ReceiptHandleIsInvalid",
    );
  });

  it.each([
    { MaxNumberOfMessages: 0 },
    { MaxNumberOfMessages: 11 },
    { WaitTimeSeconds: 21 },
    { VisibilityTimeout: 43_201 },
    { MessageSystemAttributeNames: ["Colour" as never] },
  ])("is named for a receive with %j", async (more) => {
    expect(await refusalOf(receive(await make(), more))).toBe("InvalidParameterValue");
  });

  it("is answered in the form of AWS JSON", async () => {
    const ask = async (target: string, body: string): Promise<unknown[]> => {
      const answer = await fetch(server.url, {
        method: "POST",
        headers: { "x-amz-target": target, "content-type": "application/x-amz-json-1.0" },
        body,
      });
      const { headers, status } = answer;
      const text = (await answer.json()) as Record<string, string>;
      return [status, text["__type"], headers.get("x-amzn-query-error")];
    };
    expect(await ask("AmazonSQS.GetQueueUrl", '{"QueueName":"gone"}')).toEqual([
      400,
      "com.amazonaws.sqs#QueueDoesNotExist",
      "AWS.SimpleQueueService.NonExistentQueue;Sender",
    ]);
    expect(await ask("AmazonSQS.GetQueueUrl", "{}")).toEqual([
      400,
      "com.amazonaws.sqs#MissingRequiredParameterException",
      "MissingParameter;Sender",
    ]);
    expect(await ask("AmazonSQS.GetQueueUrl", '{"QueueName":1}')).toMatchObject({
      1: expect.stringContaining("Serialization"),
    });
    expect(await ask("AmazonSQS.GetQueueUrl", "{")).toMatchObject({
      1: expect.stringContaining("Serialization"),
    });
    expect(await ask("AmazonSQS.Fly", "{}")).toMatchObject({
      1: expect.stringContaining("InvalidAction"),
    });
    expect(await ask("AmazonSQS.constructor", "{}")).toMatchObject({
      1: expect.stringContaining("InvalidAction"),
    });
    expect(await ask("AmazonSQS.SendMessage", "x".repeat(8_388_609))).toMatchObject({ 0: 413 });
  });
});

describe("requests as other clients write them", () => {
  it("may have members that are null, which count as absent", async () => {
    const QueueUrl = await make();
    const answer = await fetch(server.url, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSQS.SendMessage" },
      body: JSON.stringify({
        QueueUrl,
        MessageBody: "a",
        DelaySeconds: null,
        MessageAttributes: { k: { DataType: "String", StringValue: "v", BinaryValue: null } },
      }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { MessageId: expect.any(String) },
    ]);
  });

  it("may have a question mark in a value of the query string", async () => {
    const QueueUrl = await make();
    const query = `Action=SendMessage&QueueUrl=${encodeURIComponent(QueueUrl)}&MessageBody=why?now`;
    expect((await fetch(`${server.url}/?${query}`, { method: "POST" })).status).toBe(200);
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages).toMatchObject([{ Body: "why?now" }]);
  });
});
