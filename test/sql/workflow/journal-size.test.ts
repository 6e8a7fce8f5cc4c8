import { describe, expect, it } from "vitest";
import { only } from "../../helpers/queues.ts";
import { type Delivery, Runs, setupRun, setupRuns } from "../../helpers/runs.ts";

const MIB = 1_048_576;
/** As repeat('x', $5), which takes four times as long. */
const TEXT = "repeat(repeat('x', 1024), $5 / 1024) || repeat('x', $5 % 1024)";

/** Journals values of so many bytes, made by the database: the last commit gives the run back. */
async function journal(runs: Runs, delivery: Delivery, sizes: readonly number[]): Promise<void> {
  for (const [index, size] of sizes.entries()) {
    await runs.database.query(
      `select from queue.workflow_commit(
         $1, array[$2::bigint], array[$3::bigint], array['keep'], array[null::jsonb], null, array[1], array[$4::int],
         array['s' || $4], array['run'], array[to_jsonb(${TEXT})], null, array[1], array[1])`,
      [[runs.name], delivery.run_id, delivery.receipt, index + 1, size],
    );
  }
}

const suspend = (runs: Runs, delivery: Delivery): Promise<unknown> =>
  runs.database.query(
    `select from queue.workflow_commit(
       $1, array[$2::bigint], array[$3::bigint], array['suspend'], array['{"waits": [], "retries": []}'::jsonb],
       array[clock_timestamp()])`,
    [[runs.name], delivery.run_id, delivery.receipt],
  );

describe("the journal of a run", () => {
  it("has at most 128 MiB, and the commit that goes beyond names step, size and run", async () => {
    const { runs, runId } = await setupRun("full");
    const delivery = await runs.receiveOne();
    await journal(
      runs,
      delivery,
      Array.from({ length: 8 }, () => 15 * MIB),
    );
    await expect(
      journal(runs, delivery, [...Array.from({ length: 8 }, () => 1), 9 * MIB]),
    ).rejects.toMatchObject({
      code: "OX008",
      message: expect.stringMatching(
        new RegExp(
          `^step "s9" of 94371\\d+ bytes takes the journal of run ${runId} to 13526\\d+ bytes$`,
        ),
      ),
      detail: "The values of a journal have at most 134217728 bytes in total.",
    });
    expect(await runs.journal(runId)).toHaveLength(8);
    // A repeated commit of what fits, and an end, still do.
    await journal(runs, delivery, [15 * MIB]);
    expect(await runs.commit([{ delivery, transition: "complete", result: null }])).toMatchObject([
      { outcome: "ok" },
    ]);
  });

  it("is bounded where its values are small, too, and where a transaction of the worker's journals", async () => {
    const runs = await setupRuns("small");
    await runs.start();
    const delivery = await runs.receiveOne();
    await journal(
      runs,
      delivery,
      Array.from({ length: 8 }, () => 16 * MIB - 2_000),
    );
    const small = (from: number, count: number): Promise<unknown> =>
      runs.database.query(
        `select from queue.workflow_commit(
           $1, array[$2::bigint], array[$3::bigint], array['keep'], array[null::jsonb], null,
           array(select 1 from generate_series(1, $5::int)), array(select g + $4::int from generate_series(1, $5) as g),
           array(select 's' || g + $4::int from generate_series(1, $5) as g),
           array(select 'run' from generate_series(1, $5)),
           array(select to_jsonb(repeat('x', 3000)) from generate_series(1, $5)),
           null, array(select 1 from generate_series(1, $5)), array(select 1 from generate_series(1, $5)))`,
        [[runs.name], delivery.run_id, delivery.receipt, from, count],
      );
    await small(8, 50);
    await expect(small(58, 10)).rejects.toMatchObject({ code: "OX008" });
    await expect(
      runs.database.query(
        "select queue.workflow_commit_tx($1, $2, 'tx', to_jsonb(repeat('x', 100000)))",
        [delivery.run_id, delivery.receipt],
      ),
    ).rejects.toMatchObject({ code: "OX008" });
  });
});

describe("the journal of a run that waits has at most 128 MiB", () => {
  const waitFor = (wait: object, journaled: number) => ({ waits: [wait], retries: [], journaled });
  const text = (size: number): string => `to_jsonb(repeat('${"x".repeat(1024)}', ${size / 1024}))`;
  /** Without its journal. */
  const receive = async (runs: Runs): Promise<Delivery> =>
    only(await runs.receive("max_bytes => 0"));
  const signal = async (runs: Runs, runId: string, size: number): Promise<unknown> =>
    only(
      await runs.database.query(
        `select queue.workflow_signal($1, 'go', ${text(size)}) as outcome`,
        [runId],
      ),
    )["outcome"];

  it.each([
    ["large", [], 15 * MIB, 8],
    // Small values are looked at with the 64th row.
    [
      "small",
      [
        ...Array.from({ length: 8 }, () => 16 * MIB - 2_000),
        ...Array.from({ length: 50 }, () => 1),
      ],
      3072,
      5,
    ],
  ])(
    "of %s signals: the commit after the one that goes beyond is refused",
    async (size, steps, bytes, fit) => {
      const { runs, runId } = await setupRun(`signals-${size}`);
      let delivery = await runs.receiveOne();
      await journal(runs, delivery, steps);
      const wait = (n: number) =>
        runs.commit([
          {
            delivery,
            transition: "suspend",
            result: waitFor({ kind: "event", step: `w${n}`, event: "go" }, steps.length + n),
          },
        ]);
      for (let n = 0; n < fit; n += 1) {
        await wait(n);
        expect(await signal(runs, runId, bytes)).toBe("delivered");
        delivery = await receive(runs);
      }
      await wait(fit);
      expect(await signal(runs, runId, bytes)).toBe("buffered");
      delivery = await receive(runs);
      await expect(wait(fit)).rejects.toMatchObject({ code: "OX008" });
      expect(await runs.commit([{ delivery, transition: "fail", result: {} }])).toMatchObject([
        { outcome: "ok" },
      ]);
      expect(await runs.violations()).toEqual([]);
    },
  );

  it("of outputs of child runs: the commit after the one that goes beyond is refused", async () => {
    const { runs } = await setupRun("parent");
    const children = new Runs(runs.database, "child");
    let delivery = await runs.receiveOne();
    const wait = (n: number, invokes = true) =>
      runs.database.query(
        `select outcome from queue.workflow_commit('{parent}', array[$1::bigint], array[$2::bigint], '{suspend}',
           array[$3::jsonb], array[null::timestamptz]${
             invokes
               ? `, effect_items => '{1}', effect_kinds => '{invoke}', effect_steps => array[$4],
                  effect_targets => '{child}', effect_events => array[null]::text[], effect_values => array['{}'::jsonb],
                  effect_versions => array[1], effect_retention => array[null::integer]`
               : ""
           })`,
        [
          delivery.run_id,
          delivery.receipt,
          JSON.stringify(waitFor({ kind: "invoke", step: `c${n}` }, n)),
          ...(invokes ? [`c${n}`] : []),
        ],
      );
    for (let n = 0; n <= 8; n += 1) {
      await wait(n);
      const child = await children.receiveOne();
      await runs.database.query(
        `select outcome from queue.workflow_commit('{child}', array[$1::bigint], array[$2::bigint], '{complete}',
           array[${text(15 * MIB)}], null)`,
        [child.run_id, child.receipt],
      );
      delivery = await receive(runs);
      expect(await runs.journal(delivery.run_id)).toHaveLength(Math.min(n + 1, 8));
    }
    await expect(wait(8, false)).rejects.toMatchObject({ code: "OX008" });
    expect(await runs.commit([{ delivery, transition: "fail", result: {} }])).toMatchObject([
      { outcome: "ok" },
    ]);
    expect(await runs.violations()).toEqual([]);
  });
});

describe("a receive of large runs", () => {
  it("returns up to 64 MiB, or what the caller has room for, and leaves the others ready", async () => {
    const runs = await setupRuns("large");
    for (let n = 0; n < 10; n += 1) await runs.start();
    const all = await runs.receive();
    expect(all).toHaveLength(10);
    for (const delivery of all) {
      await journal(runs, delivery, [10 * MIB]);
      await suspend(runs, delivery);
    }
    const some = await runs.database.query<{ run_id: string; bytes: string }>(
      "select run_id, bytes from queue.workflow_receive(array['large'], max_runs => 10)",
    );
    expect(some).toHaveLength(6);
    expect(Number(some[0]?.bytes)).toBeGreaterThan(10 * MIB);
    const few = await runs.database.query(
      "select run_id, attempt from queue.workflow_receive(array['large'], max_runs => 10, max_bytes => 21000000)",
    );
    expect(few).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
    const one =
      "select from queue.workflow_receive(array['large'], max_runs => 10, max_bytes => 0)";
    expect(await runs.database.query(one)).toHaveLength(1);
    expect(await runs.database.query(one)).toHaveLength(1);
    expect(await runs.database.query(one)).toHaveLength(0);
    expect(await runs.violations()).toEqual([]);
  });

  it("counts inputs", async () => {
    const runs = await setupRuns("inputs");
    for (let n = 0; n < 6; n += 1) {
      await runs.database.query(
        "select queue.workflow_start('inputs', to_jsonb(repeat(repeat('x', 1000), 16000)))",
      );
    }
    const count =
      "select count(*)::int from queue.workflow_receive(array['inputs'], max_runs => 10)";
    expect(await runs.database.query(count)).toEqual([{ count: 4 }]);
    expect(await runs.database.query(count)).toEqual([{ count: 2 }]);
  });

  it("returns a run of more than 64 MiB by itself, and its journal in pages", async () => {
    const { runs, runId } = await setupRun("fat");
    const delivery = await runs.receiveOne();
    await journal(
      runs,
      delivery,
      Array.from({ length: 8 }, () => 10 * MIB),
    );
    await suspend(runs, delivery);
    await runs.start();
    const [fat, ...others] = await runs.database.query<{ run_id: string; journal: unknown }>(
      "select run_id, journal from queue.workflow_receive(array['fat'], max_runs => 10, max_bytes => 1000)",
    );
    expect(others).toEqual([]);
    expect(fat).toEqual({ run_id: runId, journal: null });
    const names: string[] = [];
    for (;;) {
      const [page] = await runs.database.query<{ names: string[] | null }>(
        `select array(select jsonb_array_elements(j) ->> 'name') as names
         from queue.workflow_journal_page($1, $2) as j where j is not null`,
        [runId, names.length],
      );
      if (page?.names === undefined || page.names === null) break;
      expect(page.names.length).toBeLessThan(5);
      names.push(...page.names);
    }
    expect(names).toEqual(Array.from({ length: 8 }, (_, n) => `s${n + 1}`));
  });
});
