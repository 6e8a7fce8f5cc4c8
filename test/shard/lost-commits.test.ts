/** A shard that loses its last commits in a crash, with children of its runs in another shard. */
import { expect, it } from "vitest";
import pg from "pg";
import type { TestDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet } from "../helpers/fleet.ts";
import { end, invoke, receive, routeAt, start } from "../helpers/invoking.ts";
import { type ForgetfulDatabase, startForgetful } from "../helpers/lost-tail.ts";
import { move } from "../helpers/outbox.ts";

/** A session for each statement, since the server is killed in between. */
function sessionsOf({ url, query }: ForgetfulDatabase): TestDatabase {
  const clients: pg.Client[] = [];
  const leave = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => {})));
  };
  atFileEnd(leave);
  return {
    name: "forgetful",
    url,
    query: query as TestDatabase["query"],
    leave,
    connect: async () => {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => {});
      await client.connect();
      clients.push(client);
      return client;
    },
  };
}

it("a step that is repeated, because a crash has lost it, takes the end that its child had in the meantime", async () => {
  const forgetful = await startForgetful();
  const { databases } = await createFleet(2, sessionsOf(forgetful));
  const { a, b } = databases as Record<"a" | "b", TestDatabase>;
  const route = await routeAt(a, "b");
  const generationOf = "select generation from queue.workflow_run where run_id = $1";
  const children = "select run_id::text as run from queue.workflow_run where parent_run_id = $1";

  const parent = await start(a, "parent");
  await forgetful.beginTail();
  await end(a, "parent", parent, "continue", { input: null });
  await invoke(a, await receive(a, "parent"), { route });
  await move(a, b, "b");
  const child = await receive(b, "child");
  expect(await b.query(children, [parent.run])).toEqual([{ run: child.run }]);
  await a.leave();
  await forgetful.loseTail();
  expect(await a.query(generationOf, [parent.run])).toEqual([{ generation: null }]);

  await end(b, "child", child, "complete", 7);
  expect((await move(b, a, "a")).outcomes).toEqual(["gone"]);
  // The worker of the first generation still has its lease, and repeats its commit.
  await end(a, "parent", parent, "continue", { input: null });
  await invoke(a, await receive(a, "parent"), { route });
  expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
  expect((await move(b, a, "a")).outcomes).toEqual(["ok"]);
  expect(
    await a.query("select step_name, output from queue.workflow_step where run_id = $1", [
      parent.run,
    ]),
  ).toEqual([{ step_name: "child", output: 7 }]);
  expect(await b.query(children, [parent.run])).toEqual([{ run: child.run }]);
  for (const database of [a, b]) {
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  }
});

it("sends again what a crash of the other shard has lost, and nothing twice", async () => {
  const forgetful = await startForgetful();
  const { databases } = await createFleet(2, sessionsOf(forgetful));
  const { a: lossy, b: source } = databases as Record<"a" | "b", TestDatabase>;
  const [row] = await lossy.query<{ run: string }>(
    "select run_id::text as run from queue.workflow_start('crossed')",
  );
  const run = row?.run ?? "";
  const signal = (n: number): Promise<unknown> =>
    source.query("select queue.workflow_signal($1, 'go', to_jsonb($2::integer))", [run, n]);
  const received = async (): Promise<unknown[]> =>
    (
      await lossy.query(
        "select payload from queue.workflow_buffered_signal where run_id = $1 order by signal_id",
        [run],
      )
    ).map(({ payload }) => payload);

  await signal(1);
  await move(source, lossy, "a");
  await forgetful.beginTail();
  await signal(2);
  await move(source, lossy, "a");
  expect(await received()).toEqual([1, 2]);
  await lossy.leave();
  await forgetful.loseTail();
  expect(await received()).toEqual([1]);
  // The first answer after the crash shows that commits may be lost.
  await signal(3);
  await move(source, lossy, "a");
  await move(source, lossy, "a");
  expect(await received()).toEqual([1, 3, 2]);
  await move(source, lossy, "a");
  expect(await received()).toEqual([1, 3, 2]);
});
