/** Cancellations of runs of another shard. */
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createFleet } from "../../helpers/fleet.ts";
import { move, pending, startIn } from "../../helpers/outbox.ts";

const { a, b } = (await createFleet()).databases;

/** A run that a step of another one waits for. */
async function invokedBy(parent: string): Promise<string> {
  const run = await startIn(b);
  await b.query(
    "update queue.workflow_run set parent_run_id = $2, parent_step = run_id::text, is_detached = false where run_id = $1",
    [run, parent],
  );
  return run;
}

async function outcomeOf(run: string): Promise<unknown> {
  const [row] = await b.query(
    "select status::text, error ->> 'message' as message from queue.workflow_run where run_id = $1",
    [run],
  );
  return row;
}

describe("a cancellation of a run of another shard", () => {
  it("is written by its transaction, and cancels the run and what it waits for when it is moved", async () => {
    const run = await startIn(b);
    const child = await invokedBy(run);
    const session = await a.connect();
    await session.query("begin");
    await session.query("select queue.workflow_cancel($1, 'never')", [run]);
    await session.query("rollback");
    await session.end();
    expect(await pending(a)).toEqual([]);

    expect(await a.query("select queue.workflow_cancel($1, 'enough') as sent", [run])).toEqual([
      { sent: true },
    ]);
    expect(await outcomeOf(run)).toMatchObject({ status: "running" });
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(await outcomeOf(run)).toEqual({ status: "cancelled", message: "enough" });
    expect(await outcomeOf(child)).toMatchObject({ status: "cancelled" });
    const audit = "select subject, action from queue.audit where action = 'run.cancel'";
    expect(await a.query(audit)).toEqual([{ subject: run, action: "run.cancel" }]);
    expect(await b.query(audit)).toEqual([]);
  });

  it("rolls back if it says so", async () => {
    const run = await startIn(b);
    await a.query("select queue.workflow_cancel($1, 'undo', true)", [run]);
    await move(a, b, "b");
    expect(await outcomeOf(run)).toMatchObject({ status: "running" });
    expect(
      await b.query(
        "select headers -> 'cancelled' ->> 'reason' as reason from queue.workflow_continuation where msg_id = $1",
        [run],
      ),
    ).toEqual([{ reason: "undo" }]);
  });

  it("changes no run that has ended, and is an error for an id of no shard", async () => {
    const run = await startIn(b);
    await b.query("select queue.workflow_cancel($1, 'first')", [run]);
    await a.query("select queue.workflow_cancel($1, 'second')", [run]);
    await a.query("select queue.workflow_cancel($1)", [String(2n ** 36n + 10n ** 9n)]);
    expect((await move(a, b, "b")).outcomes).toEqual(["ok", "gone"]);
    expect(await outcomeOf(run)).toEqual({ status: "cancelled", message: "first" });
    await expect(
      a.query("select queue.workflow_cancel($1)", [String(9n * 2n ** 36n)]),
    ).rejects.toMatchObject({ code: "OX005" });
  });

  it("locks what it reaches in the order of commits, with the rest of its batch", async () => {
    const parent = await startIn(b);
    const signalled = await startIn(b);
    const run = await invokedBy(parent);
    // The signal without them would lock its run before the parent, which comes first.
    await a.query("select queue.workflow_signal($1, 'go')", [signalled]);
    await a.query("select queue.workflow_cancel($1)", [run]);
    const holder = await b.connect();
    await holder.query("begin");
    const lock = "select from queue.workflow_continuation where msg_id = $1 for update";
    await holder.query(lock, [parent]);
    const moving = move(a, b, "b");
    await waitForLock(holder);
    await holder.query(lock, [signalled]);
    await holder.query("commit");
    await holder.end();
    expect((await moving).outcomes).toEqual(["ok", "ok"]);
    expect(await outcomeOf(run)).toMatchObject({ status: "cancelled" });
  });
});

async function waitForLock(session: pg.Client): Promise<void> {
  for (;;) {
    const { rows: waiting } = await session.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
  }
}
