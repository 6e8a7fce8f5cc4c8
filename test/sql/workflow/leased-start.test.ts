/** Starts that lease their runs to the caller. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";

interface Leased {
  readonly run_id: string;
  readonly created: boolean;
  readonly status: string;
  readonly receipt: string | null;
  readonly started_at: Date | null;
  readonly deadline: Date | null;
}

const runs = new Runs(await createDatabase(), "leased");

async function startLeased(options = "", { count = 1, name = "leased" } = {}): Promise<Leased[]> {
  return runs.database.query(
    `select * from queue.workflow_start_batch('${name}', array_fill('{}'::jsonb, array[${count}]),
       lease_seconds => array_fill(30::numeric, array[${count}])${options})`,
  );
}

async function startOne(options = "", name = "leased"): Promise<Leased> {
  const [started] = await startLeased(options, { name });
  if (started === undefined) throw new Error("No run was returned.");
  return started;
}

const received = async (name = "leased"): Promise<Delivery[]> =>
  runs.database.query(
    `select * from queue.workflow_receive(array['${name}'], max_runs => 1000) order by run_id`,
  );

const deliveryOf = ({ run_id: runId, receipt }: Leased): Delivery =>
  ({ run_id: runId, receipt }) as Delivery;

describe("a start with a lease", () => {
  it("gives the run to its caller, and to no worker until the lease expires", async () => {
    const started = await startOne();
    expect(started).toMatchObject({
      created: true,
      status: "running",
      receipt: expect.stringMatching(/^\d+$/),
      started_at: expect.any(Date),
      deadline: null,
    });
    expect(await received()).toEqual([]);
    expect(
      await runs.commit([{ delivery: deliveryOf(started), transition: "keep", steps: ["a"] }]),
    ).toMatchObject([{ outcome: "ok" }]);
    await runs.endLeases();
    const [again, ...others] = await received();
    expect(others).toEqual([]);
    expect(again).toMatchObject({
      run_id: started.run_id,
      attempt: 2,
      journal: [{ name: "a", output: "a" }],
    });
    expect(again?.receipt).not.toBe(started.receipt);
    expect(
      await runs.commit([{ delivery: deliveryOf(started), transition: "complete", result: 1 }]),
    ).toMatchObject([{ outcome: "lost" }]);
    expect(await runs.violations()).toEqual([]);
    await runs.commit([{ delivery: again as Delivery, transition: "complete", result: 1 }]);
  });

  it("wakes no worker, unless a run of its batch waits", async () => {
    const waiter = await runs.database.connect();
    const heard: string[] = [];
    waiter.on("notification", ({ channel }) => void heard.push(channel));
    await waiter.query(
      `listen queue___wf_woken; select pg_advisory_lock_shared(queue.wake_key('queue___wf_woken'))`,
    );
    await startLeased("", { count: 3, name: "woken" });
    await waiter.query("select 1");
    expect(heard).toEqual([]);
    await startLeased(", delay_seconds => array[0, 0, 0.001]", { count: 3, name: "woken" });
    await eventually(() => waiter.query("select 1").then(() => heard), { length: 1 });
  });

  it("is extended, kept and given back like a lease of a receive", async () => {
    const started = await startOne("", "kept");
    expect(
      await runs.database.query("select * from queue.workflow_heartbeat(array[$1::bigint], 60)", [
        started.receipt,
      ]),
    ).toEqual([]);
    await runs.commit([{ workflow: "kept", delivery: deliveryOf(started), transition: "release" }]);
    expect(await received("kept")).toMatchObject([{ run_id: started.run_id, attempt: 1 }]);
  });
});

describe("a start with a lease does not lease a run", () => {
  it.each([
    ["that begins later", ", delay_seconds => array[60]"],
    ["that begins at a date to come", ", start_ats => array[clock_timestamp() + '1 minute']"],
    ["past its deadline", ", deadlines => array[clock_timestamp() - interval '1 second']"],
  ])("%s", async (_which, options) => {
    expect(await startOne(options, "later")).toMatchObject({
      created: true,
      receipt: null,
      started_at: null,
      deadline: null,
    });
  });

  it("of a workflow with flow control", async () => {
    await runs.database.query(
      `select queue.workflow_set_flow_control('limited', '{"concurrency": 1}')`,
    );
    const started = await startLeased("", { count: 2, name: "limited" });
    expect(started.map(({ receipt }) => receipt)).toEqual([null, null]);
    expect(await received("limited")).toMatchObject([{ run_id: started[0]?.run_id, attempt: 1 }]);
    expect(await runs.violations()).toEqual([]);
  });

  it("that has the idempotency key already", async () => {
    const options = ", idempotency_keys => array['k']";
    const first = await startOne(options, "keyed");
    expect(await startOne(options, "keyed")).toEqual({
      run_id: first.run_id,
      created: false,
      status: "running",
      receipt: null,
      started_at: null,
      deadline: null,
    });
  });

  it("that gets another version than the caller executes", async () => {
    await runs.database.query("select queue.workflow_register('{chosen,chosen}', '{1,2}')");
    const rows = await startLeased(
      ", versions => '{null,null,1,1}', lease_versions => '{2,1,1,null}'",
      { count: 4, name: "chosen" },
    );
    expect(rows.map(({ receipt }) => receipt !== null)).toEqual([true, false, true, true]);
    expect(await received("chosen")).toMatchObject([{ run_id: rows[1]?.run_id, version: 2 }]);
  });

  it("that a later start of the batch cancels", async () => {
    const rows = await startLeased(
      ", idempotency_keys => array['k', 'k'], on_running => array[null, 'cancel-existing']",
      { count: 2, name: "cancelled" },
    );
    expect(rows).toMatchObject([
      { created: true, status: "cancelled", receipt: null },
      { created: true, status: "running", receipt: expect.any(String) },
    ]);
  });

  it("of a database that is held as a copy", async () => {
    const copy = await createDatabase();
    await copy.query("select queue.hold_incarnation('a test')");
    const [started] = await copy.query<{ receipt: string | null }>(
      `select * from queue.workflow_start_batch('leased', array['{}'::jsonb],
         lease_seconds => array[30])`,
    );
    expect(started).toMatchObject({ created: true, receipt: null });
  });
});

it("a lease reports the deadline that the version has by default", async () => {
  await runs.database.query(
    `select queue.workflow_register(array['timely'], array[1], deadline_seconds => array[60])`,
  );
  const started = await startOne("", "timely");
  expect((started.deadline?.getTime() ?? 0) - (started.started_at?.getTime() ?? 0)).toBe(60_000);
});

it.each(["0", "-1", "43201"])(
  "a lease of %s seconds is refused, and nothing is started",
  async (seconds) => {
    await expect(
      runs.database.query(
        `select queue.workflow_start_batch('refused', array['{}'::jsonb], lease_seconds => array[${seconds}])`,
      ),
    ).rejects.toMatchObject({ code: "OX004", message: expect.stringContaining(seconds) });
    expect(await received("refused")).toEqual([]);
  },
);

it("a run that was cancelled with rollback since it was received does not end by a commit", async () => {
  const started = await startOne("", "undone");
  await runs.database.query("select queue.workflow_cancel($1, 'no more', rollback => true)", [
    started.run_id,
  ]);
  const complete = () =>
    runs.commit([
      { workflow: "undone", delivery: deliveryOf(started), transition: "complete", steps: ["a"] },
    ]);
  expect(await complete()).toMatchObject([{ outcome: "cancelled" }]);
  // Its answer was lost, and it is repeated.
  expect(await complete()).toMatchObject([{ outcome: "cancelled" }]);
  expect(await received("undone")).toMatchObject([
    { run_id: started.run_id, journal: [{ name: "a" }] },
  ]);
  expect(await runs.violations()).toEqual([]);
});
