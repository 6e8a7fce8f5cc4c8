/** Runs that move to another shard: with all their rows, in one shard at a time, followed by what is sent to them. */
import { describe, expect, it } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { createFleet } from "../../helpers/fleet.ts";
import { accept, acceptIn, acceptOnly, move, pending, take } from "../../helpers/outbox.ts";
import { value } from "../../helpers/value.ts";

const { a, b } = (await createFleet()).databases;

const start = (database: TestDatabase, input = "null", key?: string): Promise<string> =>
  value(
    database,
    "(select run_id::text from queue.workflow_start('moved', $1::jsonb, idempotency_key => $2))",
    [input, key ?? null],
  );

const handOver = (
  from: TestDatabase,
  run: string,
  target: string,
  endsLeases = false,
): Promise<boolean> => value(from, "queue.hand_over_run($1, $2, $3)", [run, target, endsLeases]);

const signal = (database: TestDatabase, run: string, payload: number): Promise<string> =>
  value(database, "queue.workflow_signal($1, 'go', to_jsonb($2::integer))", [run, payload]);

const has = (database: TestDatabase, run: string): Promise<boolean> =>
  value(database, "exists (select from queue.workflow_run where run_id = $1)", [run]);

const whereabouts = async (database: TestDatabase, run: string): Promise<unknown> =>
  (await database.query("select shard, has_arrived from queue.run_whereabouts($1)", [run]))[0];

async function receive(database: TestDatabase, run: string): Promise<string> {
  return value(
    database,
    `(select receipt::text from queue.workflow_receive(array['moved'], max_runs => 1000) where run_id = $1)`,
    [run],
  );
}

/** The rows of a run in all tables that move with it, as texts. */
async function rowsOf(database: TestDatabase, run: string): Promise<Record<string, unknown>> {
  const tables = await database.query<{ name: string; column: string }>(
    `select table_name as name, run_column as column from queue._run_tables()`,
  );
  const rows: Record<string, unknown> = {};
  for (const { name, column } of tables) {
    const leftOut = {
      workflow_buffered_signal: "- 'signal_id'",
      workflow_continuation: "- 'queue_id'",
    }[name];
    rows[name] = await value(
      database,
      `(select jsonb_agg(to_jsonb(t) ${leftOut ?? ""} order by t) from queue.${name} as t where ${column} = $1)`,
      [run],
    );
  }
  return rows;
}

async function commit(
  database: TestDatabase,
  run: string,
  receipt: string,
  transition: string,
  result: unknown,
  step?: string,
): Promise<string> {
  return value(
    database,
    `(select outcome from queue.workflow_commit(
        array['moved'], array[$1::bigint], array[$2::bigint], array[$3], array[$4::jsonb], array[null::timestamptz],
        step_items => case when $5::text is not null then array[1] end, step_positions => array[1],
        step_names => array[$5::text], step_kinds => array['run'], step_outputs => array['null'::jsonb],
        step_errors => array[null::jsonb], step_attempts => array[1], step_durations => array[0::float8],
        known => array['{}'::jsonb]
      ))`,
    [run, receipt, transition, JSON.stringify(result), step ?? null],
  );
}

/** Resolves when a session waits for another one. */
const waitsForLock = (): Promise<unknown> =>
  eventually(
    () =>
      value<boolean>(
        b,
        `exists (select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock')`,
        [a.name],
      ),
    true,
  );

const invariants = async (): Promise<unknown[]> =>
  (
    await Promise.all([a, b].map((one) => one.query("select * from queue.check_invariants()")))
  ).flat();

describe("a run that moves", () => {
  it("reads no other runs where it arrives, also by plans from before they were there", async () => {
    const arrive = async (key: string): Promise<void> => {
      await handOver(a, await start(a, "null", key), "b");
      await move(a, b, "b");
    };
    // A plan is kept from the sixth time on.
    for (let n = 0; n < 7; n += 1) await arrive(`plans/${n}`);
    await b.query(
      `select count(*) from queue.workflow_start_batch('others', array_fill('null'::jsonb, array[3000]),
         idempotency_keys => array(select 'others/' || n from generate_series(1, 3000) as n))`,
    );
    await b.query("begin");
    await arrive("plans/last");
    const [read] = await b.query<{ runs: number }>(
      `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as runs
       from pg_stat_xact_user_tables where relname = 'workflow_run'`,
    );
    await b.query("commit");
    expect(read?.runs).toBeLessThan(50);
  });

  it("has all its rows there, as they were, and no rows here", async () => {
    const run = await start(a, '{"text": "\\u00e9 \\"\\\\, (x)", "nothing": null}', "k/1");
    await a.query(
      `insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, step_name, kind, output)
         values ($1, now(), now(), 1, 1, 'null', 'run', 'null'), ($1, now(), now(), 2, 1, 'none', 'run', null)`,
      [run],
    );
    await a.query(
      `insert into queue.workflow_failed_attempt values ($1, now(), now(), 1, 'null', '{"message": "no"}')`,
      [run],
    );
    for (const one of [3, 1, 2]) await signal(a, run, one);
    await value(a, "queue.workflow_signal($1, 'once', '1', 'id')", [run]);
    await a.query(
      `insert into queue.workflow_run_state (run_id, key, value, set_at) select $1, 'k', '1', now()`,
      [run],
    );
    await a.query(
      `insert into queue.workflow_stream_chunk (run_id, position, written_at, attempt, number, step_name, chunk, receipt)
         values ($1, 1, now(), 1, 1, '', '"x"', 1)`,
      [run],
    );
    await a.query(
      `insert into queue.workflow_generation (run_id, generation, started_at, ended_at, workflow_version, steps)
         select $1, 1, now(), now(), 1, 3`,
      [run],
    );
    await a.query("insert into queue.workflow_starter values ($1, 'me')", [run]);
    await a.query("update queue.workflow_run set generation = 2 where run_id = $1", [run]);
    await a.query(
      "update queue.workflow_continuation set visible_at = 'infinity' where msg_id = $1",
      [run],
    );
    const before = await rowsOf(a, run);
    const empty = Object.keys(before).filter((table) => before[table] === null);
    expect(empty).toEqual([]);

    expect(await handOver(a, run, "b")).toBe(true);
    expect(Object.values(await rowsOf(a, run)).filter((rows) => rows !== null)).toEqual([]);
    expect(await whereabouts(a, run)).toEqual({ shard: "b", has_arrived: false });
    await move(a, b, "b");
    expect(await whereabouts(a, run)).toEqual({ shard: "b", has_arrived: true });
    expect(await rowsOf(b, run)).toEqual(before);
    expect(await invariants()).toEqual([]);
  });

  it("takes the version that is registered where it arrives, if its start by name waits for one", async () => {
    const run = await value<string>(
      a,
      "(select run_id::text from queue.workflow_start('undecided'))",
    );
    await b.query("select queue.workflow_register('{undecided}', '{2}', '{7}')");
    expect(await handOver(a, run, "b")).toBe(true);
    await move(a, b, "b");
    expect(
      await b.query(
        "select workflow_version as version, retention_days as retention from queue.workflow_run where run_id = $1",
        [run],
      ),
    ).toEqual([{ version: 2, retention: 7 }]);
    expect(await invariants()).toEqual([]);
  });

  it("leaves no table with rows of runs unconsidered", async () => {
    const tables = await a.query<{ name: string }>(
      `select c.relname as name from pg_class as c
       where c.relnamespace = 'queue'::regnamespace and c.relkind in ('r', 'p')
         and exists (select from pg_attribute where attrelid = c.oid and attname = 'run_id' and not attisdropped)
         and c.relname not like 'q\\_%' and c.relname not in (select table_name from queue._run_tables())
       order by 1`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      [
        // Refused by _require_movable(), or of runs that triggers have started, which it refuses.
        "approval",
        "definition_once",
        "definition_test_run",
        "triggered_run",
        "trigger_match",
        "workflow_admission",
        "workflow_inbox",
        // Tables of moves.
        "departing",
        "elsewhere",
        "key_elsewhere",
        // The table of calls that have ended.
        "workflow_progress",
        // The table of a sandbox, which is in no fleet.
        "captured_delivery",
      ].toSorted(),
    );
  });

  it("takes its children and parents along, and leaves detached ones", async () => {
    const parent = await start(a);
    const child = (kind: string, step: string, of: string): Promise<string> =>
      value(
        a,
        `(select outcome from queue.workflow_commit(
            array['moved'], array[$1::bigint], array[$2::bigint], array['suspend'],
            array[jsonb_build_object('waits', jsonb_build_array(jsonb_build_object('kind', 'event', 'step', 'w', 'event', 'e')))],
            array[null::timestamptz], effect_items => array[1], effect_kinds => array[$3], effect_steps => array[$4],
            effect_targets => array['moved'], effect_values => array['1'::jsonb], known => array['{}'::jsonb]
          ))`,
        [of, receipts.get(of), kind, step],
      );
    const receipts = new Map([[parent, await receive(a, parent)]]);
    expect(await child("invoke", "one", parent)).toBe("ok");
    const ofParent = (): Promise<string[]> =>
      value(
        a,
        `(select array_agg(run_id::text order by run_id) from queue.workflow_run where parent_run_id = $1)`,
        [parent],
      );
    const [invoked = ""] = await ofParent();
    receipts.set(invoked, await receive(a, invoked));
    expect(await child("detach", "two", invoked)).toBe("ok");
    const detached = await value<string>(
      a,
      "(select run_id::text from queue.workflow_run where parent_run_id = $1)",
      [invoked],
    );
    expect(await handOver(a, invoked, "b")).toBe(true);
    expect(await has(a, parent)).toBe(false);
    expect(await has(a, invoked)).toBe(false);
    expect(await has(a, detached)).toBe(true);
    await move(a, b, "b");
    expect(await has(b, parent)).toBe(true);
    expect(await has(b, invoked)).toBe(true);
    expect(await whereabouts(a, parent)).toEqual({ shard: "b", has_arrived: true });
    expect(await invariants()).toEqual([]);
  });

  it("is asked for if a worker executes it, and moves when it is given back", async () => {
    const run = await start(a);
    const receipt = await receive(a, run);
    for (let n = 0; n < 3; n++) expect(await handOver(a, run, "b")).toBe(false);
    expect(
      await a.query("select outcome from queue.audit where action = 'run.move' and subject = $1", [
        run,
      ]),
    ).toEqual([{ outcome: "unchanged" }]);
    expect(await pending(a)).toEqual([]);
    expect(
      await value(a, "(select pause_reason from queue.workflow_run where run_id = $1)", [run]),
    ).toBe('It moves to shard "b".');
    expect(await commit(a, run, receipt, "suspend", { waits: [], journaled: 1 }, "first")).toBe(
      "ok",
    );
    // As a relay does, which finds it after the operator has gone.
    expect(await pending(a)).toEqual(["b"]);
    expect(await has(a, run)).toBe(false);
    await move(a, b, "b");
    expect(
      await value(b, "(select paused_at from queue.workflow_run where run_id = $1)", [run]),
    ).toBeNull();
    expect(await value(a, "(select count(*)::integer from queue.departing)")).toBe(0);
    expect(await invariants()).toEqual([]);
  });

  it("does not wait for families that are executed still", async () => {
    const { a: own } = (await createFleet()).databases;
    // Each parent was given back, and its child is executed still.
    for (let n = 0; n < 10; n++) {
      const parent = await start(own);
      const child = await start(own);
      await own.query(
        "update queue.workflow_run set parent_run_id = $1, parent_step = 'child', is_detached = false where run_id = $2",
        [parent, child],
      );
      const receipt = await receive(own, parent);
      await receive(own, child);
      expect(await handOver(own, parent, "b")).toBe(false);
      expect(await commit(own, parent, receipt, "release", null)).toBe("ok");
    }
    const run = await start(own);
    const receipt = await receive(own, run);
    expect(await handOver(own, run, "b")).toBe(false);
    expect(await commit(own, run, receipt, "release", null)).toBe("ok");
    await pending(own);
    expect(await has(own, run)).toBe(false);
  });

  it("stays paused if it was paused before", async () => {
    const run = await start(a);
    const receipt = await receive(a, run);
    await value(a, "queue.workflow_pause($1, 'mine')", [run]);
    expect(await handOver(a, run, "b")).toBe(false);
    expect(await commit(a, run, receipt, "release", null)).toBe("ok");
    expect(await handOver(a, run, "b")).toBe(true);
    await move(a, b, "b");
    expect(
      await value(b, "(select pause_reason from queue.workflow_run where run_id = $1)", [run]),
    ).toBe("mine");
    expect(await invariants()).toEqual([]);
  });

  it.each([[[]], [["resume"]]])(
    "stays paused if it is paused while its worker is asked for it, after %j",
    async (calls) => {
      const run = await start(a);
      const receipt = await receive(a, run);
      expect(await handOver(a, run, "b")).toBe(false);
      for (const call of calls) await value(a, `queue.workflow_${call}($1)`, [run]);
      expect(await value(a, "queue.workflow_pause($1, 'mine')", [run])).toBe(true);
      expect(await value(a, "queue.workflow_pause($1, 'again')", [run])).toBe(false);
      expect(await commit(a, run, receipt, "release", null)).toBe("ok");
      expect(await pending(a)).toEqual(["b"]);
      await move(a, b, "b");
      expect(
        await value(b, "(select pause_reason from queue.workflow_run where run_id = $1)", [run]),
      ).toBe("mine");
      expect(await value(b, "queue.workflow_resume($1)", [run])).toBe(true);
      expect(await receive(b, run)).not.toBeNull();
      expect(await invariants()).toEqual([]);
    },
  );

  it("is taken from its worker if that is asked for, whose commits are lost from then on", async () => {
    const run = await start(a);
    const receipt = await receive(a, run);
    expect(await handOver(a, run, "b", true)).toBe(true);
    expect(await commit(a, run, receipt, "complete", 1)).toBe("lost");
    await move(a, b, "b");
    const next = await receive(b, run);
    expect(next).not.toBe(receipt);
    expect(await commit(b, run, receipt, "complete", 1)).toBe("lost");
    expect(await commit(b, run, next, "complete", 1)).toBe("ok");
  });

  it("arrives once, whenever its item is delivered again", async () => {
    const run = await start(a);
    await handOver(a, run, "b");
    await acceptOnly(a, b, "b");
    expect(await commit(b, run, await receive(b, run), "complete", 1)).toBe("ok");
    // The relay has died before it noted the delivery.
    await move(a, b, "b");
    expect(
      await value(b, "(select status::text from queue.workflow_run where run_id = $1)", [run]),
    ).toBe("completed");
    expect(await invariants()).toEqual([]);
  });

  it("comes back, and moves on", async () => {
    const run = await start(a, "null", "returns");
    for (let n = 0; n < 2; n++) {
      await handOver(a, run, "b");
      await move(a, b, "b");
      expect(await handOver(b, run, "a")).toBe(true);
      expect(await whereabouts(b, run)).toMatchObject({ shard: "a" });
      await move(b, a, "a");
      expect(await whereabouts(a, run)).toBeUndefined();
      expect(await start(a, "null", "returns")).toBe(run);
    }
    expect(await invariants()).toEqual([]);
  });
});

it("a copy moves no run while it is held, and has it as a sandbox, without a trace of the fleet", async () => {
  const { a: copy } = (await createFleet()).databases;
  const gone = await start(copy, "null", "gone");
  expect(await handOver(copy, gone, "b")).toBe(true);
  const run = await start(copy);
  const receipt = await receive(copy, run);
  expect(await handOver(copy, run, "b")).toBe(false);
  expect(await commit(copy, run, receipt, "release", null)).toBe("ok");
  await copy.query("select queue.hold_incarnation('copy')");
  expect(await pending(copy)).toEqual(["b"]);
  expect(await has(copy, run)).toBe(true);

  await copy.query("select queue.release_incarnation('sandbox')");
  expect(
    await copy.query(
      `select run_id from queue.elsewhere union all select run_id from queue.key_elsewhere
         union all select run_id from queue.departing`,
    ),
  ).toEqual([]);
  expect(
    await value(copy, "(select paused_at from queue.workflow_run where run_id = $1)", [run]),
  ).toBeNull();
  expect(await receive(copy, run)).not.toBeNull();
  expect(await start(copy, "null", "gone")).not.toBe(gone);
  expect(await copy.query("select * from queue.check_invariants()")).toEqual([]);
});

describe("a call that comes to the old shard", () => {
  it("follows the run: signals, in their order", async () => {
    const run = await start(a);
    await signal(a, run, 1);
    await handOver(a, run, "b");
    expect(await signal(a, run, 2)).toBe("sent");
    await move(a, b, "b");
    expect(await signal(a, run, 3)).toBe("sent");
    await move(a, b, "b");
    expect(await signal(b, run, 4)).toBe("buffered");
    const found = await b.query<{ payload: number }>(
      "select payload from queue.workflow_buffered_signal where run_id = $1 order by signal_id",
      [run],
    );
    expect(found.map(({ payload }) => payload)).toEqual([1, 2, 3, 4]);
  });

  it("follows the run: signals of a shard that does not know of the move", async () => {
    const run = await start(b);
    expect(await signal(a, run, 1)).toBe("sent");
    await handOver(b, run, "a");
    await move(a, b, "b");
    await move(b, a, "a");
    const found = await a.query<{ payload: number }>(
      "select payload from queue.workflow_buffered_signal where run_id = $1",
      [run],
    );
    expect(found.map(({ payload }) => payload)).toEqual([1]);
  });

  it("follows the run: a signal that waited for the move", async () => {
    const run = await start(a);
    const mover = await a.connect();
    const sender = await a.connect();
    await mover.query("begin");
    await mover.query("select queue.hand_over_run($1, 'b')", [run]);
    const sent = sender.query("select queue.workflow_signal($1, 'go', '1') as outcome", [run]);
    await waitsForLock();
    await mover.query("commit");
    expect((await sent).rows).toEqual([{ outcome: "sent" }]);
    await move(a, b, "b");
    expect(
      await value(
        b,
        "(select count(*)::integer from queue.workflow_buffered_signal where run_id = $1)",
        [run],
      ),
    ).toBe(1);
  });

  it.each([
    ["a signal", "workflow_signal($1, 'go')", "buffered"],
    ["a cancellation", "workflow_cancel($1)", true],
  ])("finds the run that left and came back while it waited: %s", async (_, call, answer) => {
    const run = await start(a);
    const [mover, caller, relay] = await Promise.all([a.connect(), a.connect(), b.connect()]);
    await mover.query("begin");
    await mover.query("select queue.hand_over_run($1, 'b')", [run]);
    const called = caller.query(`select queue.${call} as answer`, [run]);
    await waitsForLock();
    await accept(b, await take(mover, "b"));
    expect(await handOver(b, run, "a")).toBe(true);
    await acceptIn(mover, await take(relay, "a"));
    await mover.query("commit");
    expect((await called).rows).toEqual([{ answer }]);
  });

  it("learns where the run is", async () => {
    const run = await start(a, "null", "leads");
    await handOver(a, run, "b");
    for (const call of ["workflow_pause", "workflow_resume", "workflow_retry", "workflow_rerun"]) {
      await expect(a.query(`select queue.${call}($1)`, [run])).rejects.toMatchObject({
        code: "OX029",
        message: `run ${run} has moved to shard "b"`,
        detail: `{"shard": "b"}`,
      });
    }
    await expect(start(a, "null", "leads")).rejects.toMatchObject({
      code: "OX029",
      message: 'the run of workflow "moved" with idempotency key "leads" has moved to shard "b"',
    });
    expect(await handOver(a, run, "b")).toBe(true);
    await move(a, b, "b");
    expect(await start(b, "null", "leads")).toBe(run);
  });

  it("waits for the move: a start with the key of the run", async () => {
    const run = await start(a, "null", "waits");
    const mover = await a.connect();
    await mover.query("begin");
    await mover.query("select queue.hand_over_run($1, 'b')", [run]);
    const starting = start(a, "null", "waits");
    await waitsForLock();
    await Promise.all([
      expect(starting).rejects.toMatchObject({ code: "OX029" }),
      mover.query("commit"),
    ]);
  });
});

describe("a run that can't move", () => {
  it("is refused before it leaves", async () => {
    const run = await start(a);
    await expect(handOver(a, run, "c")).rejects.toMatchObject({
      code: "OX004",
      message: 'this database knows no other shard "c"',
    });
    await expect(handOver(a, run, "a")).rejects.toMatchObject({ code: "OX004" });
    await expect(handOver(a, "4711000", "b")).rejects.toMatchObject({ code: "OX005" });
    await a.query("insert into queue.triggered_run values ($1, 1, 1)", [run]);
    await expect(handOver(a, run, "b")).rejects.toMatchObject({
      code: "OX004",
      message: `run ${run} can't move: a trigger has started it`,
    });
    const scheduled = await start(a);
    await a.query("update queue.workflow_run set scheduled_at = now() where run_id = $1", [
      scheduled,
    ]);
    await a.query(
      "select queue.schedule_create('often', 'moved', every_seconds => 60, overlap => 'skip')",
    );
    await a.query("update queue.schedule set last_run_id = $1", [scheduled]);
    await expect(handOver(a, scheduled, "b")).rejects.toMatchObject({
      code: "OX004",
      message: `run ${scheduled} can't move: a schedule that waits for its end has started it`,
    });
    await a.query("update queue.schedule set overlap = 'allow'");
    expect(await handOver(a, scheduled, "b")).toBe(true);
    const large = await start(a, JSON.stringify("x".repeat(17 * 2 ** 20)));
    await expect(handOver(a, large, "b")).rejects.toMatchObject({
      message: `run ${large} can't move: it has more than 16 MiB, with its family`,
    });
    expect(await has(a, large)).toBe(true);
  });

  it("comes back, with what was sent after it, if the other shard can't have it", async () => {
    const run = await start(a, "null", "both");
    await start(b, "null", "both");
    await handOver(a, run, "b");
    expect(await signal(a, run, 1)).toBe("sent");
    await move(a, b, "b");
    expect(await has(b, run)).toBe(false);
    await move(b, a, "a");
    expect(await has(a, run)).toBe(true);
    expect(await whereabouts(a, run)).toBeUndefined();
    expect(
      await value(
        a,
        "(select count(*)::integer from queue.workflow_buffered_signal where run_id = $1)",
        [run],
      ),
    ).toBe(1);
    expect(
      await value(
        b,
        "(select detail ->> 'problem' from queue.audit where action = 'run.return' order by audit_id desc limit 1)",
      ),
    ).toContain("workflow_run_idempotency_key");
    expect(await invariants()).toEqual([]);
  });
});
