/** A server over shards one of which is the wrong database, or hangs: it is reported, and nothing else is held up. */
import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { createDatabase } from "../helpers/database.ts";
import { createFleet } from "../helpers/fleet.ts";
import { uniqueQueueName } from "../helpers/queues.ts";
import { type LogLine, logTo, troubles } from "../helpers/server-log.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";

const fleet = await createFleet();
const other = await createFleet(2, await createDatabase());

const serve = (
  shards: Readonly<Record<string, string>>,
  more: Parameters<typeof startTestServer>[1] = {},
): Promise<TestServer> => startTestServer({ url: "" }, { url: undefined, shards, ...more });

it("does no work in a database that is another shard than its url was given for, and doesn't count it", async () => {
  const { a = "", b = "" } = fleet.shards;
  const lines: LogLine[] = [];
  const server = await serve({ a: b, b: a }, { sweepIntervalMs: 1_000, logger: logTo(lines) });
  const wrong = (name: string, own: string) => ({
    status: "not ready",
    reason: expect.stringContaining(`The database of shard "${name}" is shard "${own}"`),
  });
  expect(await server.get("/readyz")).toMatchObject({
    status: 503,
    body: { status: "not ready", shards: { a: wrong("a", "b"), b: wrong("b", "a") } },
  });
  const { body } = await server.get("/metrics");
  for (const [name, own] of [
    ["a", "b"],
    ["b", "a"],
  ]) {
    expect(body).toContain(`oxbow_database_up{shard="${name}"} 0`);
    for (const doing of ["sweeping", "waiting for ticks of schedules", "ending runs"]) {
      await eventually(
        () => troubles(lines).map(({ text, error }) => `${text}: ${String(error)}`),
        (all) =>
          all.some(
            (line) =>
              line.includes(doing) &&
              line.includes(`in shard "${name}"`) &&
              line.includes(`is shard "${own}"`),
          ),
      );
    }
  }
  expect(body).not.toMatch(/^(workflow_runs_kept|queue_messages|oxbow_read_age_seconds)\{/m);
});

it("refuses the databases of two fleets, and a standby that follows another shard", async () => {
  const { a = "", b = "" } = fleet.shards;
  await using mixed = createWorkflowClient({ shards: { a, b: other.shards["b"] ?? "" } });
  await expect(mixed.runs.count()).rejects.toThrow(/"[ab]" and "[ab]" are in different fleets/);
  await using crossed = createWorkflowClient({ shards: { a: { url: a, readUrl: b }, b } });
  await expect(crossed.runs.count()).rejects.toThrow('The database of shard "a" is shard "b"');
});

it("scrapes the shards in the order of their urls, whichever answers first", async () => {
  const { a = "", b = "" } = fleet.shards;
  const network = await FaultyNetwork.before(a);
  network.change({ answerDelayMs: 20 });
  const server = await serve({ a: network.url, b }, { schedules: false });
  const { body } = await server.get("/metrics");
  expect((body as string).match(/^oxbow_database_up\{.*$/gm)).toEqual([
    'oxbow_database_up{shard="a"} 1',
    'oxbow_database_up{shard="b"} 1',
  ]);
});

it("answers scrapes while a shard hangs, which collects nothing from it, and shows it again when it answers", async () => {
  const { a = "", b = "" } = fleet.shards;
  const network = await FaultyNetwork.before(b);
  const server = await serve({ a, b: network.url }, { maxConnections: 400, schedules: false });
  const states = async (): Promise<string[]> => {
    const { body } = await server.get("/metrics");
    return (body as string).match(/^oxbow_database_up\{.*$/gm) ?? [];
  };
  const both = ['oxbow_database_up{shard="a"} 1', 'oxbow_database_up{shard="b"} 1'];
  await eventually(states, (found) => found.join() === both.join());

  network.change({ isParted: true });
  const round = async (): Promise<void> => {
    const scraped = await Promise.all(Array.from({ length: 8 }, states));
    expect(scraped).toEqual(scraped.map(() => [both[0], 'oxbow_database_up{shard="b"} 0']));
    const probes = await Promise.all(Array.from({ length: 8 }, () => server.get("/readyz")));
    for (const { status, body } of probes) {
      expect([status, body.shards.a.status, body.shards.b.status]).toEqual([
        200,
        "ready",
        "not ready",
      ]);
    }
  };
  // Until the rest of the server has asked for what it asks while nothing answers.
  await round();
  await round();
  const early = network.open;
  await round();
  // Each look asks several things concurrently, each over a connection.
  expect(network.open - early).toBeLessThanOrEqual(12);

  network.clear();
  network.cut();
  await eventually(states, (found) => found.every((line) => line.endsWith(" 1")));
});

it("receives the messages of a shard while another one hangs, without a wait too", async () => {
  const { a = "", b = "" } = fleet.shards;
  const network = await FaultyNetwork.before(b);
  const queue = uniqueQueueName();
  await using client = createWorkflowClient({ shards: { a, b: network.url } });
  await client.queues.create(queue);
  const database = fleet.databases["a"];
  await database?.query("select queue.send_batch($1, array['1', '2', '3', '4']::jsonb[])", [queue]);
  await client.queues.stats(queue);
  network.change({ isParted: true });
  const received: unknown[] = [];
  while (received.length < 4)
    received.push((await client.queues.receive(queue, { max: 1 })).map(({ body }) => body));
  network.change({ isParted: false });
  expect(new Set(received.flat())).toEqual(new Set([1, 2, 3, 4]));
});
