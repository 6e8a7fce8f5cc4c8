import type pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";

let database: TestDatabase;
/** Oldest first: completed, failed, cancelled, paused, running. */
let ids: string[];

beforeAll(async () => {
  database = await createDatabase();
  const runs = new Runs(database, "listed");
  const completed = await runs.start(`, tags => '{"team": "a", "n": 1}', idempotency_key => 'k'`);
  await runs.commit([{ delivery: await runs.receiveOne(), transition: "complete", result: 7 }]);
  const failed = await runs.start(`, tags => '{"team": "b"}'`);
  const result = { name: "StepFailed", code: "STEP_FAILED", cause: { code: "CARD_DECLINED" } };
  await runs.commit([{ delivery: await runs.receiveOne(), transition: "fail", result }]);
  const cancelled = await runs.start();
  await database.query("select queue.workflow_cancel($1)", [cancelled]);
  const paused = await runs.start();
  await database.query("select queue.workflow_pause($1)", [paused]);
  const running = await runs.start(", version => 2");
  ids = [completed, failed, cancelled, paused, running];
  const other = new Runs(database, "other");
  await other.start();
});

const list = async (filter: unknown, rest = ""): Promise<string[]> => {
  const rows = await database.query<{ run_id: string }>(
    `select run_id from queue.workflow_list($1${rest})`,
    [JSON.stringify(filter)],
  );
  return rows.map(({ run_id: id }) => id);
};

const at = (...indexes: number[]): (string | undefined)[] => indexes.map((index) => ids[index]);

describe("workflow_list", () => {
  it("lists the newest runs first", async () => {
    expect(await list({ name: "listed" })).toEqual(ids.toReversed());
    expect((await list({})).length).toBe(6);
  });

  it.each<[object, number[]]>([
    [{ status: "completed" }, [0]],
    [{ name: "listed", status: ["failed", "cancelled"] }, [2, 1]],
    [{ status: ["failed", "cancelled"] }, [2, 1]],
    [{ name: "listed", status: "running" }, [4, 3]],
    [{ paused: true }, [3]],
    [{ name: "listed", status: "running", paused: false }, [4]],
    [{ name: "listed", version: 2 }, [4]],
    [{ tags: { team: "a" } }, [0]],
    [{ tags: { team: "a", n: 2 } }, []],
    [{ error_code: "CARD_DECLINED" }, [1]],
    [{ error_code: "STEP_FAILED" }, [1]],
    [{ name: "listed", idempotency_key: "k" }, [0]],
    [{ name: "listed", input: {}, status: "completed" }, [0]],
    [{ name: "listed", completed_after: "2020-01-01T00:00:00Z" }, [2, 1, 0]],
    [{ name: "listed", completed_after: "-infinity" }, [2, 1, 0]],
    [{ completed_after: "2999-01-01T00:00:00Z" }, []],
    [{ name: "listed", completed_before: "2999-01-01T00:00:00Z", status: "running" }, []],
    [{ name: "listed", started_before: "2020-01-01T00:00:00Z" }, []],
    [{ name: "nobody" }, []],
    [{ name: "listed", activity: "ready" }, [4]],
    [{ name: "listed", activity: ["ready", "paused"] }, [4, 3]],
    [{ paused: true, activity: "paused" }, [3]],
    [{ paused: true, activity: "ready" }, []],
    [{ tags: { team: "a" }, activity: "ready" }, []],
    [{ name: "listed", status: "completed", activity: "ready" }, []],
    [{ error_text: "stepfail" }, [1]],
    [{ name: "listed", error_text: "Step%" }, []],
    [{ error_text: "StepFailed", status: ["running", "completed"] }, []],
    [{ error_text: "StepFailed", error_code: "CARD_DECLINED" }, [1]],
    [{ error_text: "StepFailed", activity: "ready" }, []],
    [{ parent: "4711" }, []],
  ])("with %j finds the matching runs", async (filter, expected) => {
    expect(await list(filter)).toEqual(at(...expected));
  });

  it("continues where the page before ended, whatever was started since", async () => {
    const first = await list({ name: "listed" }, ", max_runs => 2");
    expect(first).toEqual(at(4, 3));
    await new Runs(database, "newcomer").start();
    expect(await list({ name: "listed" }, `, before => ${first[1]}, max_runs => 2`)).toEqual(
      at(2, 1),
    );
  });

  it("shows input and output only on request", async () => {
    const query = (rest: string) =>
      database.query(
        `select input, output from queue.workflow_list('{"status": "completed"}'${rest})`,
      );
    expect(await query("")).toEqual([{ input: null, output: null }]);
    expect(await query(", with_values => true")).toEqual([{ input: {}, output: 7 }]);
  });

  it.each<[unknown, string]>([
    [{ colour: "red" }, '"colour"'],
    [{ status: "asleep" }, "asleep"],
    [{ activity: "dreaming" }, "dreaming"],
    [{ parent: "mother" }, "mother"],
    [{ error_text: "" }, "error_text"],
    [{ started_after: "yesterday-ish" }, "yesterday-ish"],
    [{ version: "two" }, "two"],
    [[1], "[1]"],
  ])("with %j is refused, and the value named", async (filter, named) => {
    await expect(list(filter)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(named),
    });
  });

  it("counts, up to a bound, and exports with input and output", async () => {
    const count = (args: string) => database.query(`select queue.workflow_count(${args}) as n`);
    expect(await count(`'{"name": "listed"}'`)).toEqual([{ n: "5" }]);
    expect(await count(`'{"name": "listed"}', 3`)).toEqual([{ n: "3" }]);
    const exported = await database.query(
      `select output from queue.workflow_export('{"name": "listed"}')`,
    );
    expect(exported.map(({ output }) => output)).toEqual([null, null, null, null, 7]);
  });
});

describe("runs that sessions with ids in store have started by turns", () => {
  /** Starts runs of a workflow by the sessions in this order; returns their ids, oldest first. */
  async function byTurns(name: string, turns: string): Promise<string[]> {
    const sessions = new Map<string, pg.Client>();
    const started: string[] = [];
    for (const turn of turns) {
      const session = sessions.get(turn) ?? (await database.connect());
      sessions.set(turn, session);
      const { rows } = await session.query<{ run_id: string }>(
        `select run_id from queue.workflow_start('${name}', '1', tags => '{"by": "${name}"}')`,
      );
      started.push(rows[0]?.run_id ?? "");
    }
    return started;
  }
  const numbers = (texts: readonly string[]): number[] => texts.map(Number);

  it("are listed newest first, whether in flight, ended or failed", async () => {
    const turns = await byTurns("turns", "abababab");
    const newest = turns.toReversed();
    expect(numbers(newest)).not.toEqual(numbers(newest).toSorted((a, b) => b - a));
    expect(await list({ name: "turns" })).toEqual(newest);
    expect((await list({})).slice(0, 8)).toEqual(newest);
    expect(await list({ tags: { by: "turns" } })).toEqual(newest);

    const runs = new Runs(database, "turns");
    const deliveries = await runs.receive("max_runs => 4");
    const results = ["complete", "fail", "fail", "complete"] as const;
    await runs.commit(
      deliveries.map((delivery, n) => ({
        delivery,
        transition: results[n] ?? "complete",
        result: {},
      })),
    );
    await database.query("select queue.workflow_pause($1)", [turns[6]]);
    await database.query("select queue.workflow_pause($1)", [turns[7]]);
    expect(await list({ name: "turns" })).toEqual(newest);
    expect((await list({})).slice(0, 8)).toEqual(newest);
    const failed = deliveries.filter((_, n) => results[n] === "fail").map((each) => each.run_id);
    const failedNewest = newest.filter((id) => failed.includes(id));
    expect(await list({ name: "turns", status: "failed" })).toEqual(failedNewest);
    expect(await list({ status: "failed" })).toEqual([...failedNewest, ...at(1)]);
    expect((await list({ paused: true })).slice(0, 2)).toEqual(newest.slice(0, 2));
    await database.query("select queue.workflow_retry($1)", [failed[0]]);
    expect(await list({ name: "turns" })).toEqual(newest);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("come in pages without runs that start later, whatever their ids", async () => {
    const session = await database.connect();
    const start = () => session.query("select queue.workflow_start('pages')");
    await start();
    const started = await byTurns("pages", "aabb");
    const page = (rest = "") =>
      database.query<{ run_id: string; started_at: string }>(
        `select run_id, started_at::text from queue.workflow_list('{"name": "pages"}', max_runs => 2${rest})`,
      );
    const first = await page();
    expect(first.map(({ run_id: id }) => id)).toEqual(started.slice(2).toReversed());
    // The session has a store of lower ids.
    await start();
    const last = first.at(-1);
    const whole = `, before => ${last?.run_id}, before_started_at => '${last?.started_at}'`;
    const second = await page(whole);
    expect(second.map(({ run_id: id }) => id)).toEqual(started.slice(0, 2).toReversed());
    expect(await page(`, before => ${last?.run_id}`)).toEqual(second);
    await expect(page(", before => 8796093022207")).rejects.toMatchObject({ code: "OX005" });
    expect(await page(whole.replace(`${last?.run_id}`, "8796093022207"))).toHaveLength(2);
  });

  it("are changed in batches that leave alone what starts later", async () => {
    const session = await database.connect();
    const start = () => session.query("select queue.workflow_start('victims')");
    await start();
    await byTurns("victims", "abab");
    const cancel = async (rest = "") => {
      const [row] = await database.query<{
        changed: number;
        before: string | null;
        before_started_at: string | null;
      }>(
        `select changed, before, before_started_at::text
         from queue.workflow_cancel_all('{"name": "victims"}', max_runs => 3${rest})`,
      );
      return row;
    };
    const first = await cancel();
    await start();
    const second = await cancel(
      `, before => ${first?.before}, before_started_at => '${first?.before_started_at}'`,
    );
    expect([first?.changed, second]).toEqual([
      3,
      { changed: 2, before: null, before_started_at: null },
    ]);
    expect(await list({ name: "victims", status: "running" })).toHaveLength(1);
  });
});

describe("a change by filter", () => {
  const change = async (call: string) => {
    const [row] = await database.query<{ changed: number; before: string | null }>(
      `select changed, before from queue.${call}`,
    );
    return row;
  };

  it("goes through the runs in batches, each of which returns where the next begins", async () => {
    const runs = new Runs(database, "batches");
    const some: string[] = [];
    for (let n = 0; n < 5; n += 1) some.push(await runs.start());
    let before: string | null | undefined = null;
    const changed: (number | undefined)[] = [];
    do {
      const batch = await change(
        `workflow_pause_all('{"name": "batches"}', 'stop', ${before ?? "null"}, 2)`,
      );
      changed.push(batch?.changed);
      before = batch?.before;
    } while (before !== null && before !== undefined);
    expect(changed).toEqual([2, 2, 1]);
    expect(await runs.receive()).toEqual([]);
    expect(await change(`workflow_resume_all('{"name": "batches"}')`)).toEqual({
      changed: 5,
      before: null,
    });
    const [delivery] = await runs.receive("max_runs => 1");
    expect(delivery).toBeDefined();
    expect(await change(`workflow_cancel_all('{"name": "batches"}', 'enough')`)).toEqual({
      changed: 5,
      before: null,
    });
    expect(await runs.status(some[0] ?? "")).toMatchObject({
      status: "cancelled",
      error: { message: "enough" },
    });
    expect(await change(`workflow_retry_all('{"name": "batches"}')`)).toMatchObject({ changed: 0 });
    expect(
      await change(`workflow_retry_all('{"name": "batches", "status": ["cancelled"]}')`),
    ).toMatchObject({ changed: 5 });
    expect((await runs.receive()).length).toBe(5);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

it("a journal is read in pages that hold while the run continues", async () => {
  const runs = new Runs(database, "paged");
  const runId = await runs.start();
  const delivery = await runs.receiveOne();
  await runs.commit([{ delivery, transition: "keep", steps: ["a", "b", "c"] }]);
  const page = (rest: string) =>
    database.query(`select name, position from queue.workflow_journal($1, ${rest})`, [runId]);
  expect(await page("0, 2")).toEqual([
    { name: "a", position: 1 },
    { name: "b", position: 2 },
  ]);
  await runs.commit([{ delivery, transition: "keep", steps: ["d"], journaled: 3 }]);
  expect((await page("2")).map(({ name }) => name)).toEqual(["c", "d"]);
});

it("runs in a list have the activity that workflow_get() shows, and their parent, by which they are found", async () => {
  const own = await createDatabase();
  const runs = new Runs(own, "active");
  const names = ["executing", "sleeping", "waiting", "paused", "ready", "delayed"];
  const parent = await runs.start();
  const child = await runs.start();
  const delayed = await runs.start(", delay_seconds => 3600");
  const paused = await runs.start();
  await own.query("select queue.workflow_pause($1)", [paused]);
  await runs.start();
  const [executing, asleep, waiting] = await runs.receive("max_runs => 3");
  for (const [run, kind] of [
    [asleep, "sleep"],
    // For the end of a run that it started.
    [waiting, "invoke"],
  ] as const) {
    await own.query(
      `select queue.workflow_commit(array['active'], array[$1::bigint], array[$2::bigint], array['suspend'],
           array[jsonb_build_object('waits', jsonb_build_array(jsonb_build_object('kind', $3::text, 'step', 'nap')), 'journaled', 0)],
           array[now() + interval '1 hour'])`,
      [run?.run_id, run?.receipt, kind],
    );
  }
  const ready = await runs.start();
  await own.query(
    "update queue.workflow_run set parent_run_id = $1, parent_step = 'invoke' where run_id = $2",
    [parent, child],
  );
  const listed = await own.query(
    `select l.run_id, l.activity, g.activity as shown, l.parent_run_id
       from queue.workflow_list('{}') as l cross join lateral queue.workflow_get(l.run_id) as g`,
  );
  for (const { activity, shown } of listed) expect(activity).toBe(shown);
  const activityOf = (runId: string | undefined) =>
    listed.find(({ run_id: id }) => id === runId)?.["activity"];
  expect(
    [executing?.run_id, asleep?.run_id, waiting?.run_id, paused, ready, delayed].map((id) =>
      activityOf(id),
    ),
  ).toEqual(names);
  const find = (filter: object) =>
    own.query("select run_id, parent_run_id from queue.workflow_list($1)", [
      JSON.stringify(filter),
    ]);
  expect(await find({ parent })).toEqual([{ run_id: child, parent_run_id: parent }]);
  expect(await find({ parent, name: "other" })).toEqual([]);
  for (const activity of names) {
    const found = await find({ activity });
    expect(found.map(({ run_id: id }) => activityOf(String(id)))).toEqual([activity]);
  }
});
