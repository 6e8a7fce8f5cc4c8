/** Runs that list resources: the one function that starts them, and where they are not shown. */
import { listingWorkflow } from "@oxbow/declared/internal";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { newResourceType } from "../../helpers/resources.ts";
import { Runs } from "../../helpers/runs.ts";

const database = await createDatabase();
const type = newResourceType();
const name = listingWorkflow(type);
await database.query("select queue.resource_register(array[$1], listed => array[true])", [type]);
await database.query("select queue.workflow_register(array[$1], array[1])", [name]);

const start = async (ofType: string): Promise<string> =>
  String(
    only(
      await database.query("select queue.resource_list_start($1, '{\"scope\": null}') as run", [
        ofType,
      ]),
    )["run"],
  );

describe("resource_list_start", () => {
  it("starts a run that the workers of the type receive", async () => {
    const run = await start(type);
    expect(await new Runs(database, name).receiveOne()).toMatchObject({
      run_id: run,
      input: { scope: null },
    });
  });

  it.each([
    ["x", "no worker has registered the type"],
    ["mute", "its workers have no `list`"],
    ["gone", "has been seen for 20 minutes"],
  ])("refuses the type %s, since %s", async (ofType, reason) => {
    await database.query(
      "select queue.resource_register(array['mute', 'gone'], listed => array[false, true])",
    );
    await database.query(
      "update queue.resource_type set listed_at = listed_at - interval '21 minutes' where name = 'gone'",
    );
    await expect(start(ofType)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(reason) as string,
    });
  });

  it.each([
    "Severity",
    "app.severity_level",
    "Größe — 大",
    "emoji 😀 and more than fourteen characters",
    "ÀÉİ",
  ])("derives the name of the workflow of %s as workers do", async (each) => {
    expect(await database.query("select queue._listing_workflow($1) as name", [each])).toEqual([
      { name: listingWorkflow(each) },
    ]);
  });
});

describe("a run that lists resources", () => {
  it("is in no list, count or tally unless the workflow is named", async () => {
    const run = await start(type);
    const found = async (filter: object): Promise<unknown[]> => {
      const rows = await database.query(
        "select run_id::text as id from queue.workflow_list($1, max_runs => 1000)",
        [JSON.stringify(filter)],
      );
      return rows.map(({ id }) => id);
    };
    const shown = async (): Promise<Record<string, boolean>> => {
      const hour = new Date(Date.now() - 3_600_000).toISOString();
      const filters = {
        all: {},
        running: { status: ["running"] },
        completed: { status: ["completed", "cancelled"] },
        cancelled: { status: ["cancelled"] },
        ended: { completed_after: hour },
        named: { name },
      };
      return Object.fromEntries(
        await Promise.all(
          Object.entries(filters).map(
            async ([key, filter]) => [key, (await found(filter)).includes(run)] as const,
          ),
        ),
      );
    };
    const nowhere = {
      all: false,
      running: false,
      completed: false,
      cancelled: false,
      ended: false,
    };
    expect(await shown()).toEqual({ ...nowhere, named: true });
    await database.query("select queue.workflow_cancel($1)", [run]);
    expect(await shown()).toEqual({ ...nowhere, named: true });
    expect(await database.query("select queue.workflow_count() as count")).toEqual([
      { count: "0" },
    ]);
    const tally = await database.query("select name from queue.workflow_tally()");
    expect(tally.filter((row) => row["name"] === name)).toEqual([]);
  });

  it.each([
    ["workflow_start", "select queue.workflow_start($1)"],
    ["workflow_start_batch", "select * from queue.workflow_start_batch($1, array['{}'::jsonb])"],
    [
      "workflow_signal_with_start",
      "select queue.workflow_signal_with_start(name => $1, idempotency_key => 'k', event => 'e')",
    ],
    ["schedule_create", "select queue.schedule_create('s', $1, every_seconds => 60)"],
    ["subscribe", "select queue.subscribe('a.b', 'workflow', $1)"],
    [
      "a failure handler",
      "select queue.workflow_register(array['failing'], array[1], on_failure => array[$1])",
    ],
  ])("can't be started by %s", async (_what, statement) => {
    const before = await database.query("select count(*) from queue.workflow_run");
    await expect(database.query(statement, [name])).rejects.toMatchObject({
      code: "OX003",
      message: expect.stringContaining("is reserved for lists of resources") as string,
    });
    expect(await database.query("select count(*) from queue.workflow_run")).toEqual(before);
  });

  it("can't be started as a child: the step fails", async () => {
    const parent = new Runs(database, "parent");
    const runId = await parent.start();
    const { receipt } = await parent.receiveOne();
    const [committed] = await database.query<{ outcome: string; resolved: unknown }>(
      `select outcome, resolved from queue.workflow_commit(array['parent'], array[$1::bigint], array[$2::bigint],
         array['suspend'], array['{"waits": [{"kind": "invoke", "step": "child"}], "retries": [], "journaled": 0}'::jsonb],
         null, effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array['child'],
         effect_targets => array[$3], effect_values => array['{}']::jsonb[], effect_versions => array[null]::integer[])`,
      [runId, receipt, name],
    );
    expect(committed).toMatchObject({
      outcome: "ok",
      resolved: [{ error: { code: "INVALID_NAME" } }],
    });
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});
