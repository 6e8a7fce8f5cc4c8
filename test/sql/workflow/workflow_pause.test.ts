import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import { value } from "../../helpers/value.ts";

const database = await createDatabase();

const wait = { waits: [{ kind: "event", step: "w", event: "go" }], retries: [], journaled: 0 };

const workflow = (name: string): Runs => new Runs(database, name);

const call = (name: string, ...args: unknown[]): Promise<unknown> => {
  const list = args.map((_arg, index) => `$${index + 1}`).join(", ");
  return value(database, `queue.${name}(${list})`, args);
};

const activity = (runId: string): Promise<unknown> =>
  value(database, "(queue.workflow_get($1)).activity", [runId]);

const violations = () => database.query("select * from queue.check_invariants()");

describe("a paused run", () => {
  it("is not received until it is resumed, and shows why", async () => {
    const runs = workflow("ready");
    const runId = await runs.start();
    expect(await call("workflow_pause", runId, "maintenance")).toBe(true);
    expect(await call("workflow_pause", runId, "again")).toBe(false);
    expect(await runs.receive()).toEqual([]);
    const state = await database.query("select * from queue.workflow_get($1)", [runId]);
    expect(state).toMatchObject([
      { status: "running", activity: "paused", pause_reason: "maintenance" },
    ]);
    expect(await violations()).toEqual([]);
    expect(await call("workflow_resume", runId)).toBe(true);
    expect(await call("workflow_resume", runId)).toBe(false);
    expect(await runs.receiveOne()).toMatchObject({ run_id: runId, attempt: 1 });
    expect(await violations()).toEqual([]);
  });

  it("that is leased lets its worker journal and give it back, and is not received then", async () => {
    const runs = workflow("leased");
    const runId = await runs.start();
    const delivery = await runs.receiveOne();
    await call("workflow_pause", runId, null);
    expect(await activity(runId)).toBe("pausing");
    const notice = await database.query(
      "select outcome from queue.workflow_heartbeat(array[$1::bigint], null)",
      [delivery.receipt],
    );
    expect(notice).toEqual([{ outcome: "paused" }]);
    await runs.commit([{ delivery, transition: "keep", steps: ["a"] }]);
    expect(await runs.commit([{ delivery, transition: "release" }])).toMatchObject([
      { outcome: "ok" },
    ]);
    expect(await activity(runId)).toBe("paused");
    expect(await runs.receive()).toEqual([]);
    expect(await violations()).toEqual([]);
    await call("workflow_resume", runId);
    expect((await runs.receiveOne()).journal).toMatchObject([{ name: "a" }]);
  });

  it("whose worker crashed is put aside when its lease ends, and continues after the resume", async () => {
    const runs = workflow("crashed");
    const runId = await runs.start();
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "keep", steps: ["a"] }]);
    await call("workflow_pause", runId, null);
    await runs.endLeases();
    expect(await runs.receive()).toEqual([]);
    expect(await activity(runId)).toBe("paused");
    expect(await runs.receive()).toEqual([]);
    await call("workflow_resume", runId);
    expect(await runs.receiveOne()).toMatchObject({ journal: [{ name: "a" }], attempt: 2 });
    expect(await violations()).toEqual([]);
  });

  it("takes a signal, and executes what follows after the resume", async () => {
    const runs = workflow("signalled");
    const runId = await runs.start();
    await runs.commit([{ delivery: await runs.receiveOne(), transition: "suspend", result: wait }]);
    await call("workflow_pause", runId, null);
    expect(await runs.signal(runId, "go", 1)).toEqual([{ outcome: "delivered" }]);
    expect(await runs.receive()).toEqual([]);
    await call("workflow_resume", runId);
    expect((await runs.receiveOne()).journal).toMatchObject([{ name: "w", output: 1 }]);
  });

  it("keeps the deadlines of its sleeps, and due ones wait for the resume", async () => {
    const runs = workflow("sleeping");
    const runId = await runs.start(", delay_seconds => 3600");
    const due = "select resumes_at from queue.workflow_get($1)";
    const before = await database.query(due, [runId]);
    await call("workflow_pause", runId, null);
    await call("workflow_resume", runId);
    expect(await database.query(due, [runId])).toEqual(before);
    const soon = await runs.start(", delay_seconds => 0.05");
    await call("workflow_pause", soon, null);
    await database.query("select pg_sleep(0.1)");
    expect(await runs.receive()).toEqual([]);
    await call("workflow_resume", soon);
    expect(await runs.receiveOne()).toMatchObject({ run_id: soon });
  });

  it("fails at its deadline all the same, and can be cancelled", async () => {
    const runs = workflow("mortal");
    const late = await runs.start(", deadline => clock_timestamp() + interval '50 ms'");
    const cancelled = await runs.start();
    await call("workflow_pause", late, null);
    await call("workflow_pause", cancelled, null);
    await database.query("select pg_sleep(0.1)");
    expect(await runs.receive()).toEqual([]);
    expect(await runs.status(late)).toMatchObject({ error: { name: "DeadlineExceeded" } });
    await call("workflow_cancel", cancelled);
    expect(await call("workflow_pause", cancelled, null)).toBe(false);
    expect(await call("workflow_resume", cancelled)).toBe(false);
    expect(await violations()).toEqual([]);
  });

  it("whose deadline a cancellation lifts while the pause waits for it stays paused", async () => {
    const runs = workflow("lifted");
    const runId = await runs.start(", deadline => clock_timestamp() + interval '1 hour'");
    const cancelling = await openTransaction(database);
    const pausing = await openSession(database);
    await cancelling.query("select queue.workflow_cancel($1, rollback => true)", [runId]);
    const paused = pausing.query("select queue.workflow_pause($1) as paused", [runId]);
    await pausing.isBlocked(cancelling);
    await cancelling.query("commit");
    expect(await paused).toEqual([{ paused: true }]);
    const visibleAt = await value(
      database,
      "(select m.visible_at::text from queue.workflow_continuation as m where m.msg_id = $1)",
      [runId],
    );
    expect(visibleAt).toBe("infinity");
    await call("workflow_resume", runId);
    expect(await runs.receiveOne()).toMatchObject({
      run_id: runId,
      continuation: { cancelled: {} },
    });
  });

  it("that is resumed before its worker has given it back continues from there", async () => {
    const runs = workflow("hasty");
    const runId = await runs.start();
    const delivery = await runs.receiveOne();
    await call("workflow_pause", runId, null);
    await call("workflow_resume", runId);
    expect(await activity(runId)).toBe("executing");
    await runs.commit([{ delivery, transition: "release" }]);
    expect(await runs.receiveOne()).toMatchObject({ run_id: runId });
  });
});

it("pausing or resuming a run that doesn't exist is refused", async () => {
  await workflow("any").start();
  await expect(call("workflow_pause", "999999999", null)).rejects.toMatchObject({ code: "OX005" });
  await expect(call("workflow_resume", "999999999")).rejects.toMatchObject({ code: "OX005" });
});
