/** Libraries that people have around the AWS SDK: sqs-producer and sqs-consumer. */
import { CreateQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { Producer } from "sqs-producer";
import { expect, it } from "vitest";
import { atLeast, eventually } from "../../helpers/eventually.ts";
import { sqsWorld } from "./clients.ts";

const { client } = await sqsWorld();

const make = async (QueueName: string, Attributes: Record<string, string>): Promise<string> => {
  const { QueueUrl = "" } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  return QueueUrl;
};

it("carries what sqs-producer sends to sqs-consumer, also after a handler has failed", async () => {
  const queueUrl = await make("jobs", { VisibilityTimeout: "30" });
  const producer = Producer.create({ queueUrl, sqs: client });
  const bodies = Array.from({ length: 25 }, (_, index) => `job-${index}`);
  await producer.send(bodies);

  const failed = new Set<string>();
  const handled: string[] = [];
  const consumer = Consumer.create({
    queueUrl,
    sqs: client,
    batchSize: 10,
    waitTimeSeconds: 1,
    terminateVisibilityTimeout: true,
    handleMessageBatch: (messages) => {
      const [first] = messages;
      const body = first?.Body ?? "";
      if (!failed.has(body) && failed.size < 3) {
        failed.add(body);
        return Promise.reject(new Error("a handler that fails"));
      }
      handled.push(...messages.map(({ Body = "" }) => Body));
      return Promise.resolve(messages);
    },
  });
  consumer.on("error", () => {});
  consumer.on("processing_error", () => {});
  consumer.start();
  await eventually(
    async () => {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ["All"] }),
      );
      return { handled: handled.toSorted(), left: leftIn(Attributes) };
    },
    (seen) => seen.handled.length >= bodies.length && seen.left === 0,
  );
  consumer.stop({ abort: true });
  expect(handled.toSorted()).toEqual(bodies.toSorted());
  expect(failed.size).toBe(3);
});

const leftIn = (attributes: Readonly<Record<string, string>> = {}): number =>
  Number(attributes["ApproximateNumberOfMessages"]) +
  Number(attributes["ApproximateNumberOfMessagesNotVisible"]);

it("keeps the order of a group through sqs-consumer", async () => {
  const queueUrl = await make("steps.fifo", {
    FifoQueue: "true",
    ContentBasedDeduplication: "true",
  });
  const producer = Producer.create({ queueUrl, sqs: client });
  const bodies = Array.from({ length: 12 }, (_, index) => `step-${index}`);
  for (const body of bodies) await producer.send({ id: "a", body, groupId: "g" });
  const handled: string[] = [];
  const consumer = Consumer.create({
    queueUrl,
    sqs: client,
    waitTimeSeconds: 1,
    handleMessage: (message) => {
      handled.push(message.Body ?? "");
      return Promise.resolve(message);
    },
  });
  consumer.start();
  await eventually(() => handled.length, atLeast(bodies.length));
  consumer.stop({ abort: true });
  expect(handled).toEqual(bodies);
});
