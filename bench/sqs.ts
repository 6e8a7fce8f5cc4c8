/**
 * The AWS SDK as a client of a server, in one process: `make bench-sqs ROUNDS=3`. With `BESIDE=http://localhost:4566`,
 * another server of SQS is measured in turns with it.
 *
 * Messages of 200 bytes: sent one after the other; by 16 callers; in batches of ten by 4 callers; and received and deleted in
 * batches of ten by 4 callers. Then, of this server, a receive from a queue of 1,000,000 messages beside one from a
 * queue of 1,000, and the statements that 50 idle long polls cost.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { type Environment, prepare } from "./environment.ts";
import { inFlight } from "./measure/in-flight.ts";
import { median } from "./measure/stats.ts";
import { timed } from "./measure/timed.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const MESSAGES = Number(process.env["MESSAGES"] ?? 5_000);
const BESIDE = process.env["BESIDE"];
const BODY = "x".repeat(200);
const IDLE_POLLS = 50;
const IDLE_MS = 10_000;
const DEEP = 1_000_000;

const clientOf = (endpoint: string): SQSClient =>
  new SQSClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
  });

/** Calls a second of some concurrent callers. */
async function repeat(
  callers: number,
  times: number,
  call: () => Promise<unknown>,
): Promise<number> {
  const ms = await timed(() => inFlight(callers, times, call));
  return (times * 1_000) / ms;
}

const entries = Array.from({ length: 10 }, (_, index) => ({
  Id: String(index),
  MessageBody: BODY,
}));

async function makeQueue(client: SQSClient, name: string): Promise<string> {
  const { QueueUrl = "" } = await client.send(new CreateQueueCommand({ QueueName: name }));
  return QueueUrl;
}

/** Receives and deletes so many batches. */
function drain(
  client: SQSClient,
  QueueUrl: string,
  batches: number,
  callers: number,
): Promise<number> {
  return repeat(callers, batches, async () => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return;
    await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
  });
}

/** Messages a second of each scenario. */
async function round(endpoint: string, name: string): Promise<Record<string, number>> {
  const client = clientOf(endpoint);
  const QueueUrl = await makeQueue(client, name);
  const send = (): Promise<unknown> =>
    client.send(new SendMessageCommand({ QueueUrl, MessageBody: BODY }));
  const sendBatch = (): Promise<unknown> =>
    client.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries }));
  await repeat(16, 300, send);
  const figures = {
    "sent one by one": await repeat(1, MESSAGES / 5, send),
    "sent by 16 callers": await repeat(16, MESSAGES, send),
    "sent in batches of ten": 10 * (await repeat(4, MESSAGES / 5, sendBatch)),
    "received and deleted": 10 * (await drain(client, QueueUrl, MESSAGES / 5, 4)),
  };
  client.destroy();
  return figures;
}

async function startOxbow({ url }: Environment): Promise<{ endpoint: string; stop: () => void }> {
  const port = await findFreePort();
  const main = fileURLToPath(new URL("../server/dist/main.js", import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      PORT: String(port),
      OXBOW_TOKENS: "",
      OXBOW_SQS: "on",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.stdout.resume();
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => void child.kill("SIGKILL") };
}

async function measureDepth({ database }: Environment, client: SQSClient): Promise<void> {
  const urls = [await makeQueue(client, "shallow"), await makeQueue(client, "deep")];
  for (const [name, depth] of [
    ["shallow", 1_000],
    ["deep", DEEP],
  ] as const) {
    await database.query(
      `select queue.send_batch($1, array_fill('"x"'::jsonb, array[1000])) from generate_series(1, $2)`,
      [name, depth / 1_000],
    );
  }
  await database.query("vacuum analyze");
  const times: number[][] = [[], []];
  for (let n = 0; n < 60; n += 1) {
    for (const [index, QueueUrl] of urls.entries()) {
      const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
      times[index]?.push(await timed(() => client.send(receive)));
    }
  }
  const [shallow = Number.NaN, deep = Number.NaN] = times.map(median);
  console.log(
    `receive of ten: ${shallow.toFixed(2)} ms of 1,000 messages, ${deep.toFixed(2)} ms of ${DEEP}: ${(deep / shallow).toFixed(2)} x`,
  );
}

async function measureIdle({ database }: Environment, client: SQSClient): Promise<void> {
  const count = async (): Promise<number> => {
    const { rows } = await database.query<{ calls: string }>(
      "select xact_commit + xact_rollback as calls from pg_stat_database where datname = current_database()",
    );
    return Number(rows[0]?.calls);
  };
  const QueueUrl = await makeQueue(client, "idle");
  const polls = Array.from({ length: IDLE_POLLS }, () =>
    client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 })),
  );
  await delay(2_000);
  const before = await count();
  await delay(IDLE_MS);
  const after = await count();
  console.log(
    `${IDLE_POLLS} idle long polls: ${((1_000 * (after - before)) / IDLE_MS).toFixed(1)} transactions a second`,
  );
  await Promise.all(polls);
}

await using environment = await prepare();
const oxbow = await startOxbow(environment);
const endpoints = { Oxbow: oxbow.endpoint, ...(BESIDE === undefined ? {} : { beside: BESIDE }) };
const figures = new Map<string, Map<string, number[]>>();
for (let number = 1; number <= ROUNDS; number += 1) {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const seen = await round(endpoint, `bench-${process.pid}-${number}`);
    for (const [scenario, figure] of Object.entries(seen)) {
      const rows = figures.get(scenario) ?? new Map<string, number[]>();
      figures.set(scenario, rows.set(name, [...(rows.get(name) ?? []), figure]));
    }
  }
}
for (const [scenario, rows] of figures) {
  const shown = [...rows].map(([name, values]) => `${name} ${median(values).toFixed(0)}/s`);
  console.log(`${scenario}: ${shown.join(", ")}`);
}
const client = clientOf(oxbow.endpoint);
await measureIdle(environment, client);
await measureDepth(environment, client);
client.destroy();
oxbow.stop();
