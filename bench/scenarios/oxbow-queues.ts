/** Plain queues, without workflows: rates, latency, and what depth and blocked groups cost. */
import { once } from "node:events";
import type pg from "pg";
import type { Environment } from "../environment.ts";
import { withConnections } from "../measure/connect.ts";
import { median, percentile } from "../measure/stats.ts";
import { timed } from "../measure/timed.ts";
import { fifoQueue, standardQueue } from "../queues/oxbow.ts";
import { pgmqStyleTable } from "../queues/pgmq-style-table.ts";
import type { Subject } from "../queues/subject.ts";
import type { Figure } from "../figure.ts";

const BATCH = 100;
const CONNECTIONS = [1, 8] as const;
const MESSAGE = JSON.stringify({ order: 4711, customer: "ada@example.com", note: "x".repeat(60) });
const MESSAGES = Array.from({ length: BATCH }, () => MESSAGE);

interface Sizes {
  /** How long single sends are counted. */
  readonly milliseconds: number;
  /** Sent in batches, then received. */
  readonly messages: number;
  readonly samples: number;
  readonly deep: number;
  readonly blockedGroups: number;
}

const FULL: Sizes = {
  milliseconds: 1_500,
  messages: 20_000,
  samples: 300,
  deep: 1_000_000,
  blockedGroups: 100_000,
};
const QUICK: Sizes = {
  milliseconds: 300,
  messages: 4_000,
  samples: 60,
  deep: 50_000,
  blockedGroups: 10_000,
};

export async function oxbowQueues(environment: Environment, isQuick: boolean): Promise<Figure[]> {
  const sizes = isQuick ? QUICK : FULL;
  const figures: Figure[] = [];
  // Compared figures are measured one after the other, so that the machine is the same.
  for (const connections of CONNECTIONS) {
    for (const subject of [standardQueue, pgmqStyleTable, fifoQueue]) {
      figures.push(...(await rates(environment, subject, connections, sizes)));
    }
  }
  for (const consumers of CONNECTIONS) {
    figures.push(...(await idleLatency(environment, consumers, sizes.samples)));
  }
  return [...figures, await depthRatio(environment, sizes), await blockedRatio(environment, sizes)];
}

async function rates(
  environment: Environment,
  subject: Subject,
  connections: number,
  { milliseconds, messages }: Sizes,
): Promise<Figure[]> {
  await subject.create(environment.database);
  return withConnections(environment.url, connections, async (clients) => {
    const share = messages / connections / BATCH;
    // Plans and catalogs become warm.
    await Promise.all(
      clients.map(async (client) => {
        for (let n = 0; n < 10; n += 1) await subject.send(client, MESSAGE);
        await subject.receiveAndAck(client, 1);
      }),
    );
    await drain(subject, clients, Infinity);
    const singles = await sendFor(subject, clients, milliseconds);
    await drain(subject, clients, Infinity);
    const batchMs = await timed(async () =>
      Promise.all(
        clients.map(async (client) => {
          for (let n = 0; n < share; n += 1) await subject.sendBatch(client, MESSAGES);
        }),
      ),
    );
    const sent = Math.ceil(share) * BATCH * connections;
    const drainMs = await timed(async () => drain(subject, clients, sent));
    const suffix = `${connections} connection${connections === 1 ? "" : "s"}`;
    return [
      {
        name: `${subject.name}: send, ${suffix}`,
        value: (singles / milliseconds) * 1_000,
        unit: "/s",
      },
      {
        name: `${subject.name}: send by ${BATCH}, ${suffix}`,
        value: (sent / batchMs) * 1_000,
        unit: "/s",
      },
      {
        name: `${subject.name}: receive + ack by ${BATCH}, ${suffix}`,
        value: (sent / drainMs) * 1_000,
        unit: "/s",
      },
    ];
  });
}

async function sendFor(
  subject: Subject,
  clients: readonly pg.Client[],
  milliseconds: number,
): Promise<number> {
  let sent = 0;
  const until = performance.now() + milliseconds;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        await subject.send(client, MESSAGE);
        sent += 1;
      }
    }),
  );
  return sent;
}

/** Until so many are acknowledged; without a number, until nothing comes any more. */
async function drain(
  subject: Subject,
  clients: readonly pg.Client[],
  messages: number,
): Promise<void> {
  let acknowledged = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (acknowledged < messages) {
        const received = await subject.receiveAndAck(client, BATCH);
        if (received === 0 && messages === Infinity) return;
        acknowledged += received;
      }
    }),
  );
}

/** One message at a time to consumers that wait as they should: they listen, and let senders see it. */
async function idleLatency(
  environment: Environment,
  consumers: number,
  samples: number,
): Promise<Figure[]> {
  await standardQueue.create(environment.database);
  const times = await withConnections(
    environment.url,
    consumers + 1,
    async ([sender, ...waiting]) => {
      if (sender === undefined) return [];
      const arrivals = new EventTarget();
      const receive = async (client: pg.Client): Promise<void> => {
        if ((await standardQueue.receiveAndAck(client, 1)) > 0)
          arrivals.dispatchEvent(new Event("one"));
      };
      const turns = waiting.map(async () => {});
      for (const [index, client] of waiting.entries()) {
        client.on("notification", () => {
          turns[index] = (turns[index] ?? Promise.resolve()).then(() => receive(client));
        });
        await client.query("listen queue_bench");
        await client.query(
          "select pg_advisory_lock_shared(hashtextextended('oxbow:queue_bench', 0))",
        );
      }
      const sendOne = async (): Promise<void> => {
        const arrival = once(arrivals, "one");
        await standardQueue.send(sender, MESSAGE);
        await arrival;
      };
      const latencies: number[] = [];
      for (let n = 0; n < samples; n += 1) latencies.push(await timed(sendOne));
      // Consumers that came too late for the last message are still looking for it.
      await Promise.all(waiting.map((client) => client.query("unlisten *")));
      await Promise.all(turns);
      // The first ones warm up.
      return latencies.slice(5);
    },
  );
  const name = `standard queue: send to acked, ${consumers} idle consumer${consumers === 1 ? "" : "s"}`;
  return [
    { name: `${name}, p50`, value: median(times), unit: "ms" },
    { name: `${name}, p95`, value: percentile(times, 0.95), unit: "ms" },
  ];
}

/** Fills a queue faster than by single sends. */
async function fill({ database }: Environment, messages: number, groups: number): Promise<void> {
  await fifoQueue.create(database);
  for (let sent = 0; sent < messages; sent += 100_000) {
    const size = Math.min(100_000, messages - sent);
    await database.query(
      `select from queue._send_fifo('bench',
         array(select $1::jsonb from generate_series(1, $2)),
         array(select 'group ' || i % $3 from generate_series(1, $2) as i), '0', null)`,
      [MESSAGE, size, groups],
    );
  }
  await database.query("checkpoint");
}

/** How much longer the same number of messages takes at the front of a deep queue than in one that has no others. */
async function depthRatio(environment: Environment, { deep, messages }: Sizes): Promise<Figure> {
  const groups = 1_000;
  const measure = async (depth: number): Promise<number> => {
    await fill(environment, depth, groups);
    return withConnections(environment.url, 1, async (clients) => {
      await drain(fifoQueue, clients, groups);
      return timed(async () => drain(fifoQueue, clients, messages));
    });
  };
  const small = groups + messages;
  const smallMs = await measure(small);
  return {
    name: `FIFO, receive + ack of ${messages.toLocaleString("en")}: ${deep.toLocaleString("en")} waiting ÷ ${small.toLocaleString("en")}, in 1,000 groups`,
    value: (await measure(deep)) / smallMs,
    unit: "×",
  };
}

/** Half of the groups are blocked by a head in flight, half by one that is delayed; one group is ready. */
async function blockedRatio(
  environment: Environment,
  { blockedGroups, samples }: Sizes,
): Promise<Figure> {
  const { database } = environment;
  const measure = async (): Promise<number> =>
    withConnections(environment.url, 1, async ([client]) => {
      if (client === undefined) return Number.NaN;
      const times: number[] = [];
      for (let n = 0; n < samples; n += 1) {
        await client.query("select queue.send_fifo('bench', '1', 'ready')");
        times.push(await timed(async () => fifoQueue.receiveAndAck(client, 1)));
      }
      return median(times);
    });
  await fifoQueue.create(database);
  const alone = await measure();
  await fill(environment, blockedGroups / 2, blockedGroups / 2);
  for (let leased = 0; leased < blockedGroups / 2; leased += 10_000) {
    await database.query("select from queue.receive_fifo('bench', 10000, 3600)");
  }
  await database.query(
    `select from queue._send_fifo('bench', array(select '1'::jsonb from generate_series(1, $1)),
       array(select 'delayed ' || i from generate_series(1, $1) as i), '3600', null)`,
    [blockedGroups / 2],
  );
  const behind = await measure();
  return {
    name: `FIFO, receive + ack: behind ${blockedGroups.toLocaleString("en")} blocked groups ÷ none`,
    value: behind / alone,
    unit: "×",
  };
}
