/** Clients of SQS, while their server and its database are killed. */
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { createInstalled, startCluster } from "../helpers/clusters.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { startServerProcess } from "../helpers/server-process.ts";

const SENDERS = 8;
const RECEIVERS = 8;
const EACH = 60;
/** A consumer leaves the rest of a batch to others well before its messages come back. */
const VISIBILITY_SECONDS = "10";
const HANDLED_WITHIN_MS = 4_000;

/** Tries until there is an answer. */
async function persist<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch {
      await delay(50);
    }
  }
}

it.concurrent("deliver each message that was answered, and each group in order", async () => {
  await using cluster = await startCluster({ durable: true });
  const database = await createInstalled(cluster, "sqs");
  const port = await findFreePort();
  const serve = () => startServerProcess({ database, port, env: { OXBOW_SQS: "on" } });
  let server = await serve();
  const client = new SQSClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
    maxAttempts: 1,
    requestHandler: { requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  const make = async (QueueName: string, Attributes: Record<string, string>): Promise<string> => {
    const { QueueUrl = "" } = await client.send(
      new CreateQueueCommand({
        QueueName,
        Attributes: { VisibilityTimeout: VISIBILITY_SECONDS, ...Attributes },
      }),
    );
    return QueueUrl;
  };
  const plain = await make("plain", {});
  const lines = await make("lines.fifo", { FifoQueue: "true" });

  let answered = 0;
  /** One message to each queue, again and again under the same names until both are answered. */
  const send = async (group: number): Promise<void> => {
    for (let n = 1; n <= EACH; n += 1) {
      const MessageBody = `${group}:${n}`;
      await persist(() => client.send(new SendMessageCommand({ QueueUrl: plain, MessageBody })));
      await persist(() =>
        client.send(
          new SendMessageCommand({
            QueueUrl: lines,
            MessageBody,
            MessageGroupId: String(group),
            MessageDeduplicationId: MessageBody,
          }),
        ),
      );
      answered += 1;
    }
  };

  const seen = { plain: new Set<string>(), lines: new Map<string, number[]>() };
  const over = new AbortController();
  const receive = async (QueueUrl: string, handle: (body: string) => void): Promise<void> => {
    while (!over.signal.aborted) {
      const receivedBy = performance.now();
      const { Messages = [] } = await persist(() =>
        client.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
        ),
      );
      for (const { Body = "", ReceiptHandle } of Messages) {
        if (performance.now() - receivedBy > HANDLED_WITHIN_MS) break;
        handle(Body);
        try {
          await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        } catch {
          break;
        }
      }
    }
  };
  const handleLine = (body: string): void => {
    const [group = "", n] = body.split(":");
    seen.lines.set(group, [...(seen.lines.get(group) ?? []), Number(n)]);
  };
  const receivers = Array.from({ length: RECEIVERS }, (_, index) =>
    index % 2 === 0
      ? receive(plain, (body) => void seen.plain.add(body))
      : receive(lines, handleLine),
  );
  const senders = Array.from({ length: SENDERS }, (_, group) => send(group));

  const total = SENDERS * EACH;
  const isDone = (share: number): Promise<number> =>
    eventually(() => answered, atLeast(total * share), { withinMs: 120_000 });
  await isDone(0.2);
  await server.kill();
  server = await serve();
  await isDone(0.4);
  await cluster.kill();
  await cluster.start();
  await isDone(0.6);
  await Promise.all([server.kill(), cluster.kill()]);
  await cluster.start();
  server = await serve();
  await Promise.all(senders);

  await eventually(
    () => ({ plain: seen.plain.size, last: [...seen.lines.values()].map((all) => all.at(-1)) }),
    ({ plain: received, last }) =>
      received === total && last.length === SENDERS && last.every((n) => n === EACH),
    { withinMs: 120_000 },
  );
  over.abort();
  await Promise.all(receivers);
  for (const numbers of seen.lines.values()) {
    expect([...new Set(numbers)]).toEqual(Array.from({ length: EACH }, (_, index) => index + 1));
    // A message whose deletion was not answered may come back; what comes behind it has not been seen by then.
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
  client.destroy();
  expect(await server.stop()).toMatchObject({ code: 0 });
}, 400_000);

it.concurrent("are answered with 503 while the database is away", async () => {
  await using cluster = await startCluster({ durable: true });
  const database = await createInstalled(cluster, "away");
  const port = await findFreePort();
  const server = await startServerProcess({ database, port, env: { OXBOW_SQS: "on" } });
  const ask = async (): Promise<unknown[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSQS.ListQueues" },
      body: "{}",
    });
    return [answer.status, answer.headers.get("x-amzn-query-error")];
  };
  expect(await ask()).toEqual([200, null]);
  await cluster.kill();
  const outages = [await ask(), await ask()];
  expect(outages).toEqual([
    [503, "ServiceUnavailable;Receiver"],
    [503, "ServiceUnavailable;Receiver"],
  ]);
  await cluster.start();
  await eventually(ask, ([status]) => status === 200);
  expect(await server.stop()).toMatchObject({ code: 0 });
});
