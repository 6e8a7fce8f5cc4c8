/** A worker of the workload, which reports to the auditor. Argument: its settings as JSON. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker } from "@oxbow/sdk/runtime";
import pg from "pg";
import type { Lane } from "../record.ts";
import { makeDefinition, SOURCE_NAME } from "../workload/definitions.ts";
import { AuditLog } from "../workload/log.ts";
import { NOTE_QUEUES, ORDERED_QUEUE, BOOKED_QUEUE, type Message } from "../workload/queues.ts";
import { makeWorkflows } from "../workload/workflows.ts";

export interface WorkerSettings {
  readonly auditor: number;
  readonly url: string;
  readonly lane: Lane;
  readonly mended: string;
  readonly concurrency?: number;
  readonly lease?: string;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as WorkerSettings;
const { url, lane, mended, concurrency = 40, lease = "3s" } = settings;
const log = await AuditLog.open(settings.auditor);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const hasTransactions = lane !== "http";

const client = createWorkflowClient({ url, answerTimeout: "5s" });
const publish = (topic: string, message: object): Promise<unknown> =>
  client.topics.publish(topic, message);
const source = new pg.Pool({
  connectionString: url,
  max: 3,
  application_name: SOURCE_NAME,
  connectionTimeoutMillis: 5_000,
  query_timeout: 5_000,
});
source.on("error", () => {});

const worker = createWorker({
  url,
  workflows: [
    ...makeWorkflows({ log, mended, hasTransactions, publish }),
    ...(hasTransactions ? [makeDefinition(source)] : []),
  ],
  concurrency,
  lease,
  logger,
  // As a production would have it: another connection is asked soon.
  answerTimeout: "5s",
});
worker.events.on("trouble", ({ doing, error }) => say(`trouble ${doing}: ${String(error)}`));
worker.events.on("runReceived", ({ workflow, runId }) => say(`received ${workflow} ${runId}`));
worker.events.on("runDropped", ({ runId, reason }) => say(`dropped ${runId} ${reason}`));

const options = { concurrency: 10, visibilityTimeout: lease, logger, wait: "2s" } as const;

const report = (queue: string, message: { id: string; body: Message }): Promise<void> =>
  log.note({
    kind: "handled",
    trial: message.body.trial,
    call: crypto.randomUUID(),
    queue,
    message: message.id,
    group: message.body.group,
    number: message.body.number,
    pid: process.pid,
  });

const trialOf = new Map<string, string>();

function consume(queue: string): { stop(): Promise<unknown> } {
  const consumer = client.queues.consume<Message>(
    queue,
    async (message) => {
      trialOf.set(message.id, message.body.trial);
      await report(queue, message);
    },
    options,
  );
  consumer.events.on("messageDone", ({ messageId }) =>
    log.send({
      kind: "settled",
      trial: trialOf.get(messageId) ?? "",
      queue,
      message: messageId,
    }),
  );
  return consumer;
}

const application = new pg.Pool({
  connectionString: url,
  max: 3,
  connectionTimeoutMillis: 5_000,
  // A handler that waits for a silent connection keeps its message for ever.
  query_timeout: 5_000,
});
application.on("error", () => {});
application.on("connect", (session) => void session.on("error", () => {}));

/** The handler's row and the acknowledgement are one transaction. */
function consumeInTransactions(): { stop(): Promise<unknown> } {
  return client.queues.consume<Message>(
    BOOKED_QUEUE,
    async (message, { acknowledge }) => {
      await report(BOOKED_QUEUE, message);
      const session = await application.connect();
      let failure: Error | undefined;
      try {
        // If this connection falls silent, the database keeps the locks of its transaction until then.
        await session.query("begin; set local idle_in_transaction_session_timeout = '10s'");
        await session.query(
          "insert into audit_inbox (trial, message_group, number) values ($1, $2, $3)",
          [message.body.trial, message.body.group, message.body.number],
        );
        await acknowledge({ tx: session });
        await session.query("commit");
      } catch (error) {
        failure = error as Error;
        throw error;
      } finally {
        session.release(failure);
      }
    },
    options,
  );
}

const consumers = [
  ...NOTE_QUEUES.map((queue) => consume(queue)),
  ...(hasTransactions ? [consume(ORDERED_QUEUE), consumeInTransactions()] : []),
];

process.on("SIGTERM", () => {
  void Promise.all([worker.stop(), ...consumers.map((consumer) => consumer.stop())]).then(
    async () => {
      await client.close();
      await application.end();
      await source.end();
      process.exit(0);
    },
  );
});
say("serving");
try {
  await worker.finished;
} catch (error) {
  say(`unfit ${String(error)}`);
  process.exitCode = 71;
}
