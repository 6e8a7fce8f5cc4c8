/** The depth of queues over time, which servers sample, through REST and to all kinds of clients. */
import { createWorkflowClient, QueueNotFound } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { createFleet } from "../helpers/fleet.ts";
import { startTestServer } from "../helpers/server.ts";

/** Waits until the statistics have the message: the connection that has sent it reports it a little later. */
const isKnown = (database: TestDatabase): Promise<unknown> =>
  eventually(
    () =>
      database.query("select from pg_stat_user_tables where relname = 'q_jobs' and n_live_tup > 0"),
    { length: 1 },
    { withinMs: 30_000 },
  );

it("is sampled by a server, unless it is kept from work for the database", async () => {
  const database = await createDatabase();
  await database.query("select queue.create_queue('jobs')");
  await database.query("select pg_stat_force_next_flush(), queue.send('jobs', '1')");
  await isKnown(database);
  const none = await startTestServer(database);
  expect((await none.get("/v1/queues/jobs/depths")).body).toEqual({ depths: [] });
  const server = await startTestServer(database, { sweepIntervalMs: 60_000 });
  const clients = [
    createWorkflowClient({ url: database.url }),
    createWorkflowClient({ url: server.url }),
  ];
  for (const client of clients) {
    const depths = await eventually(() => client.queues.depths("jobs"), { length: 1 });
    expect(depths).toMatchObject([{ visible: 1, inFlight: 0, delayed: 0, isEstimate: false }]);
    expect(depths[0]?.oldestAt).toBeInstanceOf(Date);
    expect(depths[0]?.sampledAt).toBeInstanceOf(Date);
    // The depth at the instant, though it was sampled before.
    expect(await client.queues.depths("jobs", { since: new Date() })).toEqual(depths);
    await expect(client.queues.depths("none")).rejects.toBeInstanceOf(QueueNotFound);
    await client.close();
  }
  for (const since of ["yesterday", "2026-01-01T10:00:60Z"])
    expect((await server.get(`/v1/queues/jobs/depths?since=${since}`)).status).toBe(400);
});

it("is that of all shards together, each of which is sampled", async () => {
  const { databases, shards } = await createFleet();
  for (const [n, database] of Object.values(databases).entries()) {
    await database.query("select queue.create_queue('jobs')");
    await database.query(
      "select pg_stat_force_next_flush(), queue.send('jobs', '1') from generate_series(0, $1)",
      [n],
    );
    await isKnown(database);
  }
  const server = await startTestServer(
    { url: "" },
    { url: undefined, shards, sweepIntervalMs: 60_000 },
  );
  await using direct = createWorkflowClient({ shards });
  await using remote = createWorkflowClient({ url: server.url });
  for (const client of [direct, remote]) {
    const depths = await eventually(() => client.queues.depths("jobs"), { length: 2 });
    expect(depths[1]).toMatchObject({ visible: 3, isEstimate: false });
    const alone = await Promise.all(
      Object.values(databases).map((database) =>
        database.query<{ oldest_at: Date }>("select oldest_at from queue.queue_depths('jobs')"),
      ),
    );
    expect(depths[1]?.oldestAt?.getTime()).toBe(
      Math.min(...alone.flat().map(({ oldest_at: at }) => at.getTime())),
    );
  }
});

it("is written once by several servers", async () => {
  const database = await createDatabase();
  await database.query("select queue.create_queue('jobs')");
  await database.query("select pg_stat_force_next_flush(), queue.send('jobs', '1')");
  await isKnown(database);
  await Promise.all([1, 2, 3].map(() => startTestServer(database, { sweepIntervalMs: 60_000 })));
  await using client = createWorkflowClient({ url: database.url });
  const [first] = await eventually(() => client.queues.depths("jobs"), { length: 1 });
  // Another change within half a minute is left for the next minute, whichever server is asked.
  await database.query("select queue.send('jobs', '2')");
  expect(await database.query("select queue.queue_depths_sample() as written")).toEqual([
    { written: 0 },
  ]);
  expect(await client.queues.depths("jobs")).toEqual([first]);
});
