/** Runs that steps invoke in another shard: their starts, their ends, and cancellations of both. */
import { describe, expect, it } from "vitest";
import { createFleet } from "../../helpers/fleet.ts";
import {
  end,
  invoke as invokeBy,
  type Leased,
  receive,
  routeAt,
  start,
  statusOf,
} from "../../helpers/invoking.ts";
import { acceptOnly, move } from "../../helpers/outbox.ts";

const { a, b } = (await createFleet()).databases;
const route = await routeAt(a, "b");

const invoke = (
  parent: Leased,
  transition: "suspend" | "keep",
  kind?: "invoke" | "detach",
  database = a,
): Promise<unknown> => invokeBy(database, parent, { route, transition, kind });

const journal = async ({ run }: Leased, database = a): Promise<unknown> =>
  database.query(
    "select step_name, kind, output, error from queue.workflow_step where run_id = $1",
    [run],
  );

const entry = (more: object) => [
  { step_name: "child", kind: "invoke", output: null, error: null, ...more },
];

describe("a run that a step invokes in another shard", () => {
  it("starts there once, and its end resolves the step", async () => {
    const parent = await start(a, "parent");
    expect(await invoke(parent, "suspend")).toEqual({ outcome: "ok", resolved: null });
    await acceptOnly(a, b, "b");
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(await a.query("select from queue.workflow_run where workflow_name = 'child'")).toEqual(
      [],
    );
    expect(
      await b.query(
        "select parent_run_id::text as parent, parent_step as step, input from queue.workflow_run where workflow_name = 'child'",
      ),
    ).toEqual([{ parent: parent.run, step: "child", input: { n: 1 } }]);
    const child = await receive(b, "child");
    await end(b, "child", child, "complete", { done: null });
    await move(b, a, "a");
    expect(await journal(parent)).toEqual(entry({ output: { done: null } }));
    const again = await receive(a, "parent");
    expect(again.run).toBe(parent.run);
    await end(a, "parent", again, "complete", 1);
  });

  it("fails the step with its error", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "suspend");
    await move(a, b, "b");
    await end(b, "child", await receive(b, "child"), "fail", { name: "Error", message: "boom" });
    await move(b, a, "a");
    expect(await journal(parent)).toEqual(entry({ error: { name: "Error", message: "boom" } }));
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
  });

  it("ends while its parent is executing, and the next commit takes the end", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "keep");
    await move(a, b, "b");
    await end(b, "child", await receive(b, "child"), "complete", 7);
    await move(b, a, "a");
    expect(await journal(parent)).toEqual([]);
    expect(
      await a.query("select outcome from queue.workflow_heartbeat(array[$1::bigint], 60)", [
        parent.receipt,
      ]),
    ).toEqual([{ outcome: "signalled" }]);
    expect(await invoke(parent, "suspend")).toEqual({
      outcome: "ok",
      resolved: [{ step: "child", kind: "invoke", payload: 7 }],
    });
    expect(await journal(parent)).toEqual(entry({ output: 7 }));
    await end(a, "parent", parent, "complete", 1);
    // The commit has sent the step again.
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(
      await b.query("select from queue.workflow_run where parent_run_id = $1", [parent.run]),
    ).toHaveLength(1);
  });

  it("is not started again where its route has moved since it was started", async () => {
    const own = await routeAt(a, "a");
    const parent = await start(a, "parent");
    await invokeBy(a, parent, { route: own, transition: "keep" });
    await a.query("select queue.pin_route($1, 'b')", [own]);
    await move(a, b, "b");
    await invokeBy(a, parent, { route: own, transition: "keep" });
    const children = "select from queue.workflow_run where parent_run_id = $1";
    expect(await a.query(children, [parent.run])).toHaveLength(1);
    expect(await a.query("select * from queue.outbox_pending()")).toEqual([]);
    expect(await b.query(children, [parent.run])).toEqual([]);
  });

  it("that is detached resolves the step with its id once it has started", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "suspend", "detach");
    await move(a, b, "b");
    await move(b, a, "a");
    const child = await receive(b, "child");
    expect(await journal(parent)).toEqual(entry({ output: child.run }));
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
    await end(b, "child", child, "complete", 1);
    expect(await b.query("select * from queue.outbox_pending()")).toEqual([]);
  });

  it("is cancelled with its parent", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "suspend");
    await move(a, b, "b");
    const child = await receive(b, "child");
    await a.query("select queue.workflow_cancel($1, 'enough')", [parent.run]);
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(await statusOf(b, child.run)).toBe("cancelled");
    expect((await move(b, a, "a")).outcomes).toEqual(["gone"]);
  });

  it("is cancelled with its parent between two attempts, which have no wait for it", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "keep");
    await move(a, b, "b");
    const child = await receive(b, "child");
    await end(a, "parent", parent, "retry", { name: "Error", message: "of another step" });
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(await statusOf(b, child.run)).toBe("cancelled");
    await move(b, a, "a");
  });

  it("is cancelled with its parent after a retry by hand, and not if another generation invoked it", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "keep");
    await move(a, b, "b");
    const earlier = await receive(b, "child");
    await end(a, "parent", parent, "continue", { input: null });
    const next = await receive(a, "parent");
    await end(a, "parent", next, "fail", { name: "Error", message: "of another step" });
    await a.query("select queue.workflow_retry($1)", [parent.run]);
    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    expect((await move(a, b, "b")).outcomes).toEqual([]);
    expect(await statusOf(b, earlier.run)).toBe("running");
    await end(b, "child", earlier, "complete", 1);
    await move(b, a, "a");
  });

  it("is cancelled when its step is abandoned", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "keep");
    await move(a, b, "b");
    const child = await receive(b, "child");
    await a.query(
      `select queue.workflow_commit(array['parent'], array[$1::bigint], array[$2::bigint], array['keep'],
         array['{"waits": [], "retries": [], "journaled": 0}'::jsonb], array[null::timestamptz],
         effect_items => array[1], effect_kinds => array['cancel'], effect_steps => array['child'],
         effect_targets => array[null::text], effect_events => array[$3], effect_values => array[null::jsonb],
         effect_versions => array[null::integer], effect_retention => array[null::integer])`,
      [parent.run, parent.receipt, route],
    );
    await move(a, b, "b");
    expect(await statusOf(b, child.run)).toBe("cancelled");
    await move(b, a, "a");
    await end(a, "parent", parent, "complete", 1);
  });

  it("is started again when its parent is retried after its failure, and found again if it runs", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "suspend");
    await move(a, b, "b");
    const first = await receive(b, "child");
    await end(b, "child", first, "fail", { name: "Error", message: "boom" });
    await move(b, a, "a");
    const failing = await receive(a, "parent");
    const error = { code: "STEP_FAILED", message: `Step "child" of run ${parent.run} failed` };
    await end(a, "parent", failing, "fail", error);
    await a.query("select queue.workflow_retry($1)", [parent.run]);
    const retried = await receive(a, "parent");
    await invoke(retried, "suspend");
    await move(a, b, "b");
    const second = await receive(b, "child");
    expect(second.run).not.toBe(first.run);

    await a.query("select queue.workflow_cancel($1)", [parent.run]);
    await a.query("delete from queue.outbox where kind = 'child_cancel' and delivered_at is null");
    await a.query("select queue.workflow_retry($1)", [parent.run]);
    await invoke(await receive(a, "parent"), "suspend");
    await move(a, b, "b");
    await end(b, "child", second, "complete", 2);
    await move(b, a, "a");
    expect(await journal(parent)).toEqual(entry({ output: 2 }));
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
  });

  const PHASES = {
    early: "before the retry",
    between: "before the step is repeated there",
    late: "after the step is repeated there",
  } as const;
  type Phase = keyof typeof PHASES;
  const orders: [ends: Phase, arrives: Phase][] = [
    ["early", "early"],
    ["early", "between"],
    ["early", "late"],
    ["between", "between"],
    ["between", "late"],
    ["late", "late"],
  ];

  it.each(orders.map(([ends, arrives]) => [PHASES[ends], PHASES[arrives], ends, arrives] as const))(
    "is started again when its parent is retried, with which it was cancelled: its end is %s, and arrives %s",
    async (_is, _reaches, ends, arrives) => {
      const parent = await start(a, "parent");
      await invoke(parent, "keep");
      await move(a, b, "b");
      const first = await receive(b, "child");
      await a.query("select queue.workflow_cancel($1, 'undo', true)", [parent.run]);
      await move(a, b, "b");
      await end(b, "child", first, "release", null);
      const undoing = await receive(b, "child");
      const undone = { code: "RUN_CANCELLED", message: "undo" };
      const pass = async (phase: Phase): Promise<void> => {
        if (ends === phase) await end(b, "child", undoing, "cancel", undone);
        if (arrives === phase) await move(b, a, "a");
      };
      await pass("early");
      await end(a, "parent", parent, "release", null);
      await end(a, "parent", await receive(a, "parent"), "cancel", undone);
      expect(await a.query("select queue.workflow_retry($1) as is", [parent.run])).toEqual([
        { is: true },
      ]);
      await invoke(await receive(a, "parent"), "suspend");
      await pass("between");
      await move(a, b, "b");
      await pass("late");
      expect(await journal(parent)).toEqual([]);
      await end(b, "child", await receive(b, "child"), "complete", 2);
      await move(b, a, "a");
      expect(await journal(parent)).toEqual(entry({ output: 2 }));
      await end(a, "parent", await receive(a, "parent"), "complete", 1);
    },
  );

  it("is another one in the next generation of its parent", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "keep");
    await move(a, b, "b");
    const first = await receive(b, "child");
    await end(a, "parent", parent, "continue", { input: null });
    const next = await receive(a, "parent");
    await invoke(next, "suspend");
    await move(a, b, "b");
    await end(b, "child", first, "complete", "stale");
    await move(b, a, "a");
    expect(await journal(parent)).toEqual([]);
    await end(b, "child", await receive(b, "child"), "complete", "new");
    await move(b, a, "a");
    expect(await journal(parent)).toEqual(entry({ output: "new" }));
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
  });

  it("ends again for a step that is repeated, because its parent's shard lost the commit", async () => {
    const parent = await start(a, "parent");
    await end(a, "parent", parent, "continue", { input: null });
    await invoke(await receive(a, "parent"), "suspend");
    await move(a, b, "b");
    const generation = "update queue.workflow_run set generation = $2 where run_id = $1";
    await a.query(generation, [parent.run, 1]);
    await end(b, "child", await receive(b, "child"), "complete", 7);
    expect((await move(b, a, "a")).outcomes).toEqual(["gone"]);

    await a.query(generation, [parent.run, 2]);
    await a.query(
      "update queue.workflow_continuation set message = '{}', visible_at = clock_timestamp() where msg_id = $1",
      [parent.run],
    );
    await invoke(await receive(a, "parent"), "suspend");
    await move(a, b, "b");
    expect((await move(b, a, "a")).outcomes).toEqual(["ok"]);
    expect(await journal(parent)).toEqual(entry({ output: 7 }));
    await end(a, "parent", await receive(a, "parent"), "complete", 1);
  });

  it("is not taken for one of the next generation by a parent that has moved next to it", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "keep");
    await move(a, b, "b");
    await end(b, "child", await receive(b, "child"), "complete", "stale");
    await end(a, "parent", parent, "continue", { input: null });
    await a.query("select queue.hand_over_run($1, 'b')", [parent.run]);
    await move(a, b, "b");
    await move(b, a, "a");
    await move(a, b, "b");
    const next = await receive(b, "parent");
    expect(await invoke(next, "suspend", "invoke", b)).toEqual({ outcome: "ok", resolved: null });
    await end(b, "child", await receive(b, "child"), "complete", "new");
    expect(await journal(parent, b)).toEqual(entry({ output: "new" }));
    await end(b, "parent", await receive(b, "parent"), "complete", 1);
  });

  it("belongs to its parent that has moved to its shard", async () => {
    const parent = await start(a, "parent");
    await invoke(parent, "suspend");
    await move(a, b, "b");
    const child = await receive(b, "child");
    await a.query("select queue.hand_over_run($1, 'b')", [parent.run]);
    await move(a, b, "b");
    await end(b, "child", child, "complete", "beside");
    expect(await b.query("select * from queue.outbox_pending()")).toEqual([]);
    expect(await journal(parent, b)).toEqual(entry({ output: "beside" }));
    await end(b, "parent", await receive(b, "parent"), "complete", 1);
  });

  it("breaks no invariant", async () => {
    for (const database of [a, b]) {
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    }
  });
});
