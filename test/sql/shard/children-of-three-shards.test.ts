/** Runs that steps invoke in several other shards: which of them a cancellation reaches, and what a move does to them. */
import { describe, expect, it } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { createFleet } from "../../helpers/fleet.ts";
import {
  end,
  invoke,
  type Leased,
  receive,
  routeAt,
  start,
  statusOf,
} from "../../helpers/invoking.ts";
import { move, pending } from "../../helpers/outbox.ts";

const routes: Record<string, string> = {};

const { a, b, c } = (await createFleet(3)).databases;
for (const name of ["a", "b", "c"]) routes[name] = await routeAt(a, name);

const invokeAt = (
  shard: string,
  parent: Leased,
  transition: "suspend" | "keep" = "suspend",
  step = "child",
): Promise<unknown> => invoke(a, parent, { route: routes[shard] ?? "", transition, step });

/** The items of a shard that wait to be moved, by kind and target. */
const waiting = async (from: TestDatabase): Promise<unknown[]> =>
  (
    await from.query<{ item: string }>(
      `select o.kind || ' to ' || s.name as item from queue.outbox as o join queue.fleet_shard as s on s.shard = o.target
       where o.delivered_at is null order by o.item_id`,
    )
  ).map(({ item }) => item);

describe("a cancellation of a parent", () => {
  it("reaches the shards that have its children, and no other", async () => {
    const parent = await start(a, "parent");
    await invokeAt("b", parent, "keep", "one");
    await invokeAt("b", parent, "keep", "two");
    await move(a, b, "b");
    const children = [await receive(b, "child"), await receive(b, "child")];
    // A child of another step, with the child of the first still there.
    await end(a, "parent", parent, "retry", { name: "Error", message: "of another step" });
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    expect(await waiting(a)).toEqual(["child_cancel to b"]);
    await move(a, b, "b");
    for (const { run } of children) expect(await statusOf(b, run)).toBe("cancelled");
    await move(b, a, "a");
  });

  it("is no item if it was retried without a child elsewhere", async () => {
    const parent = await start(a, "parent");
    await end(a, "parent", parent, "retry", { name: "Error", message: "of another step" });
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    expect(await pending(a)).toEqual([]);
  });

  it("reaches children whose wait a later commit of its worker has left out", async () => {
    const parent = await start(a, "parent");
    await invokeAt("c", parent, "keep");
    await move(a, c, "c");
    const child = await receive(c, "child");
    // As the rollback of a body that threw.
    await end(a, "parent", parent, "keep", { waits: [], retries: [], journaled: 0 });
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    await move(a, c, "c");
    expect(await statusOf(c, child.run)).toBe("cancelled");
    await move(c, a, "a");
  });

  it("reaches children again that roll back, if it is cancelled without the rollback", async () => {
    const parent = await start(a, "parent");
    await invokeAt("b", parent);
    await move(a, b, "b");
    const child = await receive(b, "child");
    await a.query("select queue.workflow_cancel($1, 'undo', true)", [parent.run]);
    await move(a, b, "b");
    expect(await statusOf(b, child.run)).toBe("running");
    await a.query("select queue.workflow_cancel($1, 'at once')", [parent.run]);
    await move(a, b, "b");
    expect(await statusOf(b, child.run)).toBe("cancelled");
    await move(b, a, "a");
  });
});

describe("a cancellation that arrives late", () => {
  it("spares a child that its parent has invoked again since, from another shard", async () => {
    const parent = await start(a, "parent");
    await invokeAt("b", parent);
    await move(a, b, "b");
    const child = await receive(b, "child");
    // Nothing moves from a to b any more.
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    await a.query("select queue.workflow_retry($1)", [parent.run]);
    await a.query("select queue.hand_over_run($1, 'c')", [parent.run]);
    await move(a, c, "c");
    await invoke(c, await receive(c, "parent"), { route: routes["b"] ?? "" });
    await move(c, b, "b");

    expect((await move(a, b, "b")).outcomes).toEqual(["gone"]);
    expect(await statusOf(b, child.run)).toBe("running");
    await end(b, "child", child, "complete", 2);
    await move(b, a, "a");
    await move(a, c, "c");
    await end(c, "parent", await receive(c, "parent"), "complete", 1);
  });

  it("of the last attempt reaches its child", async () => {
    const parent = await start(a, "parent");
    await invokeAt("b", parent);
    await move(a, b, "b");
    const first = await receive(b, "child");
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    await a.query("select queue.workflow_retry($1)", [parent.run]);
    await invokeAt("b", await receive(a, "parent"));
    await move(a, b, "b");
    const again = await receive(b, "child");
    expect(await statusOf(b, first.run)).toBe("cancelled");
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    await move(a, b, "b");
    expect(await statusOf(b, again.run)).toBe("cancelled");
    await move(b, a, "a");
  });
});

describe("a parent that moves next to one of its children", () => {
  it("adopts that one, and still reaches the other: for its end, and by a cancellation", async () => {
    const parent = await start(a, "parent");
    await invokeAt("b", parent, "keep", "one");
    await invokeAt("c", parent, "keep", "two");
    await invokeAt("c", parent, "suspend", "three");
    await move(a, b, "b");
    await move(a, c, "c");
    const beside = await receive(b, "child");
    const [ending, far] = [await receive(c, "child"), await receive(c, "child")];
    expect(await a.query("select queue.hand_over_run($1, 'b') as moved", [parent.run])).toEqual([
      { moved: true },
    ]);
    await move(a, b, "b");
    const links =
      "select run_id::text as run, parent_generation from queue.workflow_run where parent_run_id = $1";
    expect(await b.query(links, [parent.run])).toEqual([
      { run: beside.run, parent_generation: null },
    ]);
    expect(await c.query(`${links} order by 1`, [parent.run])).toEqual([
      { run: ending.run, parent_generation: 1 },
      { run: far.run, parent_generation: 1 },
    ]);

    // Goes by way of the shard that has started it.
    await b.query(
      `update queue.workflow_continuation set message = message || jsonb_build_object('waits', (
         select jsonb_agg(jsonb_build_object('kind', 'invoke', 'step', s)) from unnest(array['one', 'two', 'three']) as s))
       where msg_id = $1`,
      [parent.run],
    );
    await end(c, "child", ending, "complete", 2);
    expect((await move(c, a, "a")).outcomes).toEqual(["ok"]);
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(
      await b.query("select step_name, output from queue.workflow_step where run_id = $1", [
        parent.run,
      ]),
    ).toEqual([{ step_name: "two", output: 2 }]);

    await b.query("select queue.workflow_cancel($1)", [parent.run]);
    expect(await waiting(b)).toEqual(["child_cancel to c"]);
    await move(b, c, "c");
    expect(await statusOf(b, beside.run)).toBe("cancelled");
    expect(await statusOf(c, far.run)).toBe("cancelled");
    await move(c, a, "a");
  });

  it("breaks no invariant", async () => {
    for (const database of [a, b, c]) {
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    }
  });
});
