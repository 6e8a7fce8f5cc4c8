import { describe, expect, it } from "vitest";
import {
  type Delivery,
  type Runs,
  setupRun,
  setupRuns,
  shareRun,
  shareRuns,
} from "../../helpers/runs.ts";
import { value } from "../../helpers/value.ts";

/** Receives the run that is ready, journals steps, and continues it as new. */
async function continueAsNew(
  runs: Runs,
  result: unknown,
  steps: readonly string[] = [],
): Promise<Delivery> {
  const delivery = await runs.receiveOne();
  const results = await runs.commit([{ delivery, transition: "continue", result, steps }]);
  expect(results).toMatchObject([{ outcome: "ok" }]);
  return delivery;
}

const generations = (runs: Runs, runId: string): Promise<Record<string, unknown>[]> =>
  runs.database.query(
    `select generation, version, steps, input, ended_at is null as is_current
     from queue.workflow_generations($1)`,
    [runId],
  );

const refusing = await shareRuns("refused");

describe("a run that continues as new", () => {
  it("keeps its identity, and begins again with the next input and an empty journal", async () => {
    const runs = await shareRuns("again");
    const runId = await runs.start(", tags => '{\"team\": 1}', idempotency_key => 'k'");
    await continueAsNew(runs, { input: { from: 2 } }, ["a", "b"]);
    expect(await runs.journal(runId)).toEqual([]);
    const next = await runs.receiveOne();
    expect(next).toMatchObject({
      run_id: runId,
      attempt: 1,
      generation: 2,
      input: { from: 2 },
      journal: null,
      continuation: {},
    });
    // The names of steps are free again.
    const result = await runs.commit([
      { delivery: next, transition: "complete", result: "done", steps: ["a"] },
    ]);
    expect(result).toMatchObject([{ outcome: "ok" }]);
    expect(
      await runs.database.query(
        `select run_id, status, output, tags, idempotency_key as key, generation from queue.workflow_get($1)`,
        [runId],
      ),
    ).toEqual([
      {
        run_id: runId,
        status: "completed",
        output: "done",
        tags: { team: 1 },
        key: "k",
        generation: 2,
      },
    ]);
    expect(await generations(runs, runId)).toEqual([
      { generation: 1, version: 1, steps: 2, input: {}, is_current: false },
      { generation: 2, version: 1, steps: 1, input: { from: 2 }, is_current: false },
    ]);
    expect(await runs.violations()).toEqual([]);
  });

  it("has the chain without a gap: each generation begins when the one before ends", async () => {
    const { runs, runId } = await shareRun("chain");
    for (let n = 0; n < 3; n += 1) await continueAsNew(runs, {});
    const chain = await runs.database.query<{ started_at: Date; ended_at: Date | null }>(
      "select started_at, ended_at from queue.workflow_generations($1)",
      [runId],
    );
    expect(chain).toHaveLength(4);
    expect(chain.slice(1).map((row) => row.started_at)).toEqual(
      chain.slice(0, -1).map((row) => row.ended_at),
    );
    expect(chain.at(-1)?.ended_at).toBeNull();
  });

  it("keeps the first generation and the latest 99 that have ended", async () => {
    const { runs, runId } = await shareRun("many");
    for (let n = 1; n <= 103; n += 1) await continueAsNew(runs, { input: n });
    const kept = (await generations(runs, runId)).map(({ generation }) => generation);
    expect(kept).toEqual([1, ...Array.from({ length: 99 }, (_, n) => n + 5), 104]);
    expect(await runs.violations()).toEqual([]);
  });

  it("repeats the answer to a commit that is sent again, and refuses every other with the old receipt", async () => {
    const { runs, runId } = await shareRun("twice");
    const delivery = await continueAsNew(runs, { input: 1 }, ["a"]);
    const again = { delivery, transition: "continue", result: { input: 1 }, steps: ["a"] } as const;
    expect(await runs.commit([again])).toMatchObject([{ outcome: "ok" }]);
    const next = await runs.receiveOne();
    await runs.commit([{ delivery: next, transition: "keep", steps: ["b"] }]);
    // A worker that was frozen since: nothing of its generation is written.
    const late = { delivery, transition: "keep", steps: ["late"], journaled: 1 } as const;
    await runs.commit([late]);
    expect(await runs.journal(runId)).toEqual(["b"]);
    await runs.commit([{ delivery: next, transition: "continue", result: {}, journaled: 1 }]);
    expect(await runs.commit([again])).toMatchObject([{ outcome: "lost" }]);
    expect(await generations(runs, runId)).toMatchObject([
      { steps: 1 },
      { steps: 1, input: 1 },
      { steps: 0, input: null },
    ]);
  });

  it("writes nothing if the lease is lost", async () => {
    const { runs, runId } = await shareRun("lost");
    const first = await runs.receiveOne();
    await runs.endLeases();
    const second = await runs.receiveOne();
    expect(
      await runs.commit([{ delivery: first, transition: "continue", result: {}, steps: ["a"] }]),
    ).toMatchObject([{ outcome: "lost" }]);
    expect(await generations(runs, runId)).toHaveLength(1);
    expect(
      await runs.commit([{ delivery: second, transition: "continue", result: {} }]),
    ).toMatchObject([{ outcome: "ok" }]);
  });

  it("gives buffered signals to the next generation, and no signals to a wait of the last one", async () => {
    const { runs, runId } = await shareRun("signals");
    const delivery = await runs.receiveOne();
    const waits = [{ kind: "event", step: "w", event: "go" }];
    await runs.commit([{ delivery, transition: "keep", result: { waits, retries: [] } }]);
    expect(await runs.signal(runId, "go", 1)).toEqual([{ outcome: "buffered" }]);
    await runs.commit([{ delivery, transition: "continue", result: {} }]);
    expect(await runs.signal(runId, "go", 2)).toEqual([{ outcome: "buffered" }]);
    const next = await runs.receiveOne();
    const [resolved] = await runs.commit([
      { delivery: next, transition: "suspend", result: { waits, retries: [] } },
    ]);
    expect(resolved).toMatchObject({ outcome: "ok", resolved: [{ step: "w", payload: 1 }] });
  });

  it("executes another version if the result names one", async () => {
    const { runs, runId } = await shareRun("newer");
    await continueAsNew(runs, { input: 1, version: 2 });
    expect(await runs.receive("'{\"newer\": [1]}'")).toEqual([]);
    expect(await runs.receive("'{\"newer\": [2]}'")).toMatchObject([
      { run_id: runId, version: 2, generation: 2 },
    ]);
    expect(await generations(runs, runId)).toMatchObject([{ version: 1 }, { version: 2 }]);
  });

  it.each([
    ["no result", null],
    ["a result that is no object", 5],
    ["a version that is no whole number", { version: 1.5 }],
    ["a version below 1", { version: 0 }],
    ["a version that is text", { version: "2" }],
  ])("is refused with %s", async (_, result) => {
    await refusing.start();
    const delivery = await refusing.receiveOne();
    await expect(
      refusing.commit([{ delivery, transition: "continue", result: result ?? undefined }]),
    ).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringMatching(/^invalid next generation of run \d+: /) as string,
    });
  });

  it("rolls back instead if it was cancelled with rollback since it was received", async () => {
    const { runs, runId } = await shareRun("cancelled");
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "keep", steps: ["a"] }]);
    await runs.database.query("select queue.workflow_cancel($1, rollback => true)", [runId]);
    expect(
      await runs.commit([
        { delivery, transition: "continue", result: {}, steps: ["b"], journaled: 1 },
      ]),
    ).toMatchObject([{ outcome: "cancelled" }]);
    expect(await runs.receiveOne()).toMatchObject({
      generation: 1,
      journal: [{ name: "a" }, { name: "b" }],
    });
  });

  it("stays paused if it was paused", async () => {
    const { runs, runId } = await shareRun("paused");
    const delivery = await runs.receiveOne();
    await runs.database.query("select queue.workflow_pause($1)", [runId]);
    await runs.commit([{ delivery, transition: "continue", result: {} }]);
    expect(await runs.receive()).toEqual([]);
    await runs.database.query("select queue.workflow_resume($1)", [runId]);
    expect(await runs.receiveOne()).toMatchObject({ generation: 2 });
  });

  it("lets its child runs continue by themselves, and may start others by the same step", async () => {
    const { runs, runId } = await shareRun("parent");
    const invoke = async (delivery: Delivery): Promise<unknown> => {
      await runs.database.query(
        `select from queue.workflow_commit(
           array['parent'], array[$1::bigint], array[$2::bigint], array['keep'],
           array['{"waits": [{"kind": "invoke", "step": "c"}], "retries": []}'::jsonb], null,
           effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array['c'],
           effect_targets => array['child'], effect_events => array[null], effect_values => array['1'::jsonb],
           effect_versions => array[1], effect_retention => array[null::int], effect_traces => array[null::jsonb])`,
        [delivery.run_id, delivery.receipt],
      );
      const [child] = await runs.database.query(
        "select run_id, status, parent_step from queue.workflow_children($1)",
        [runId],
      );
      return child;
    };
    const first = await runs.receiveOne();
    const child = await invoke(first);
    expect(child).toMatchObject({ status: "running", parent_step: "c" });
    await runs.commit([{ delivery: first, transition: "continue", result: {} }]);
    const next = await runs.receiveOne();
    const other = await invoke(next);
    expect(other).toMatchObject({ status: "running", parent_step: "c" });
    expect(other).not.toEqual(child);
    expect(
      await runs.database.query(
        "select count(*)::int from queue.workflow_run where workflow_name = 'child'",
      ),
    ).toEqual([{ count: 2 }]);
    expect(await runs.violations()).toEqual([]);
  });

  it("is repeated from its current generation by a rerun", async () => {
    const { runs, runId } = await shareRun("rerun");
    await continueAsNew(runs, { input: { from: 2 } });
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "complete", result: null, steps: ["a", "b"] }]);
    const [{ workflow_rerun: again } = {}] = await runs.database.query(
      "select queue.workflow_rerun($1, 'b')",
      [runId],
    );
    expect(await runs.receiveOne()).toMatchObject({
      run_id: again,
      generation: 2,
      input: { from: 2 },
      journal: [{ name: "a" }],
    });
    expect(await runs.violations()).toEqual([]);
  });

  it("is swept with its generations", async () => {
    const runs = await setupRuns("swept");
    await runs.start(", retention_days => 0");
    await continueAsNew(runs, {});
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "complete", result: null }]);
    expect(await runs.database.query("select queue.workflow_sweep(10) as swept")).toEqual([
      { swept: 1 },
    ]);
    expect(await runs.database.query("select from queue.workflow_generation")).toEqual([]);
  });

  it("keeps a deduplicated signal's id for one more generation", async () => {
    const { runs, runId } = await setupRun("ids");
    const signal = (): Promise<Record<string, unknown>[]> =>
      runs.database.query("select queue.workflow_signal($1, 'go', '1', 'id-1') as outcome", [
        runId,
      ]);
    await signal();
    await continueAsNew(runs, {});
    await signal();
    const buffered = "select count(*)::int as n from queue.workflow_buffered_signal";
    expect(await runs.database.query(buffered)).toEqual([{ n: 1 }]);
    await continueAsNew(runs, {});
    expect(await runs.database.query("select from queue.workflow_signal_receipt")).toEqual([]);
  });
});

describe("the stream of a run that continues as new", () => {
  const write = (runs: Runs, delivery: Delivery, transition: string, chunk: string) =>
    runs.database.query(
      `select from queue.workflow_commit(
         $1, array[$2::bigint], array[$3::bigint], array[$4], array['{}'::jsonb], null,
         stream_items => array[1], stream_steps => array[''], stream_attempts => array[0],
         stream_numbers => array[1], stream_chunks => array[to_jsonb($5::text)])`,
      [[runs.name], delivery.run_id, delivery.receipt, transition, chunk],
    );

  it("goes on at the next position, and keeps the chunks of the last generation", async () => {
    const { runs, runId } = await shareRun("stream");
    const chunks = async (): Promise<unknown> =>
      runs.database.query("select position, chunk from queue.workflow_stream($1)", [runId]);
    await write(runs, await runs.receiveOne(), "continue", "one");
    const second = await runs.receiveOne();
    await write(runs, second, "keep", "two");
    expect(await chunks()).toEqual([
      { position: "1", chunk: "one" },
      { position: "2", chunk: "two" },
    ]);
    await runs.commit([{ delivery: second, transition: "continue", result: {} }]);
    expect(await chunks()).toEqual([{ position: "2", chunk: "two" }]);
    // A generation that writes nothing keeps the last chunk, so that positions never begin again.
    await continueAsNew(runs, {});
    await continueAsNew(runs, {});
    expect(await chunks()).toEqual([{ position: "2", chunk: "two" }]);
    await write(runs, await runs.receiveOne(), "keep", "three");
    expect(await chunks()).toEqual([
      { position: "2", chunk: "two" },
      { position: "3", chunk: "three" },
    ]);
    expect(await runs.violations()).toEqual([]);
  });
});

it("the journal of a run has at most 100,000 rows", async () => {
  const { runs, runId } = await shareRun("rows");
  const delivery = await runs.receiveOne();
  const journal = (from: number, to: number): Promise<unknown> =>
    runs.database.query(
      `select from queue.workflow_commit(
           array['rows'], array[$1::bigint], array[$2::bigint], array['keep'], null, null,
           array(select 1 from generate_series($3::int, $4::int)), array(select generate_series($3::int, $4)),
           array(select 's' || n from generate_series($3::int, $4) as n),
           array(select 'run' from generate_series($3::int, $4)), null, null,
           array(select 1 from generate_series($3::int, $4)), array(select 1 from generate_series($3::int, $4)))`,
      [delivery.run_id, delivery.receipt, from, to],
    );
  await journal(1, 100_000);
  await expect(journal(100_001, 100_064)).rejects.toMatchObject({
    code: "OX008",
    message: `the journal of run ${runId} would have 100064 rows`,
    detail: "A journal has at most 100000 rows.",
    hint: expect.stringContaining("ctx.continueAsNew") as string,
  });
  const journalInTransaction = (n: number): Promise<unknown> =>
    value(runs.database, "queue.workflow_commit_tx($1, $2, $3)", [
      delivery.run_id,
      delivery.receipt,
      `tx${n}`,
    ]);
  // The size of a journal is looked at with each 64th row.
  for (let n = 100_001; n < 100_032; n += 1) expect(await journalInTransaction(n)).toBe("ok");
  await expect(journalInTransaction(100_032)).rejects.toMatchObject({ code: "OX008" });
  expect(await runs.commit([{ delivery, transition: "continue", result: {} }])).toMatchObject([
    { outcome: "ok" },
  ]);
  expect(await runs.receiveOne()).toMatchObject({ journal: null, generation: 2 });
});
