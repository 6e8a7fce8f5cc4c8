/** Routes of runs: they stay with their run, and a start is refused where its route isn't at home. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { createFleet } from "../../helpers/fleet.ts";
import { move } from "../../helpers/outbox.ts";

const routes: Record<string, string> = {};

const { a, b } = (await createFleet()).databases;
const homes = await a.query<{ route: string; home: string }>(
  "select 'r' || n as route, queue.home_of('r' || n) as home from generate_series(1, 40) as n",
);
for (const { route, home } of homes) routes[home] = route;

const START = "select run_id::text, created from queue.workflow_start";

const routesOf = async (database: TestDatabase, workflow: string): Promise<unknown[]> =>
  (
    await database.query(
      "select route from queue.workflow_run where workflow_name = $1 order by run_id",
      [workflow],
    )
  ).map(({ route }) => route);

describe("a route", () => {
  it("stays with its run, also in a standalone database", async () => {
    const alone = await createDatabase();
    for (const database of [alone, a]) {
      const route = routes["a"];
      await database.query(`${START}('kept', route => $1)`, [route]);
      await database.query(`${START}('kept')`);
      await database.query(
        `select queue.workflow_start_batch('kept', array['1', '2']::jsonb[], routes => array[null, $1],
           idempotency_keys => array['k', $1 || '/1'])`,
        [route],
      );
      await database.query(
        "select queue.workflow_signal_with_start('kept', $1 || '/2', 'go', route => $1)",
        [route],
      );
      await database.query(`select queue.workflow_start_elsewhere($1, 'kept')`, [route]);
      expect(await routesOf(database, "kept")).toEqual([route, null, null, route, route, route]);
    }
  });

  it("crosses with a start elsewhere, and is that of a run that repeats another one", async () => {
    const route = routes["b"];
    await a.query("select queue.workflow_start_elsewhere($1, 'crossed')", [route]);
    await move(a, b, "b");
    expect(await routesOf(b, "crossed")).toEqual([route]);
    await b.query(
      "select queue.workflow_rerun(run_id) from queue.workflow_run where workflow_name = 'crossed'",
    );
    expect(await routesOf(b, "crossed")).toEqual([route, route]);
  });

  it.each([
    ["without characters", "", null, 'invalid route ""'],
    ["with a slash", "a/b", null, 'invalid route "a/b"'],
    ["that its key doesn't begin with", "acme", "order-7", "doesn't begin with its route"],
    ["that is the beginning of another one", "acme", "acmes/7", "doesn't begin with its route"],
  ])("%s is refused", async (_, route, key, message) => {
    for (const database of [await createDatabase(), a]) {
      const start = database.query(`${START}('refused', route => $1, idempotency_key => $2)`, [
        route,
        key,
      ]);
      await expect(start).rejects.toMatchObject({
        code: "OX004",
        message: expect.stringContaining(message),
      });
    }
  });
});

describe("a start in the wrong shard", () => {
  it("names the right one, and the version of the map since which it is", async () => {
    const start = a.query(`${START}('wrong', route => $1)`, [routes["b"]]);
    await expect(start).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "b", "epoch": 1, "shard": "a"}',
      hint: expect.stringContaining("elsewhere"),
    });
    expect(await routesOf(a, "wrong")).toEqual([]);
  });

  it("is refused whatever else its batch has", async () => {
    const start = a.query(
      "select queue.workflow_start_batch('wrong', array[null, null]::jsonb[], routes => array[$1, $2])",
      [routes["a"], routes["b"]],
    );
    await expect(start).rejects.toMatchObject({ code: "OX028" });
    expect(await routesOf(a, "wrong")).toEqual([]);
  });

  it("takes place there if its key has led to it", async () => {
    const key = `${routes["b"]}/9`;
    await a.query(`${START}('led', route => $1, idempotency_key => $2, follows_key => true)`, [
      routes["b"],
      key,
    ]);
    expect(await routesOf(a, "led")).toEqual([routes["b"]]);
  });

  it("by an item goes on to the right one", async () => {
    // An item that was sent before the route moved.
    await a.query(
      `insert into queue.outbox (created_at, target, kind, body)
       select clock_timestamp(), 1, 'start', jsonb_build_object('workflow', 'late', 'route', $1::text)`,
      [routes["a"]],
    );
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect((await move(b, a, "a")).outcomes).toEqual(["ok"]);
    expect(await routesOf(a, "late")).toEqual([routes["a"]]);
    expect(await routesOf(b, "late")).toEqual([]);
  });
});
