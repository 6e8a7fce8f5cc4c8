import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { planner } from "../../helpers/plans.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";
import { openSession, type Session } from "../../helpers/session.ts";

const database = await createDatabase();
await database.query("select queue.migrate()");

interface Request {
  readonly approvers?: readonly string[];
  readonly quorum?: number;
  readonly rejections?: number;
  readonly excludeStarter?: boolean;
  readonly form?: unknown;
  /** End of the wait, in ISO 8601. */
  readonly expiresAt?: string;
}

interface Asked {
  readonly runs: Runs;
  readonly runId: string;
  readonly id: string;
  readonly delivery: Delivery;
}

let made = 0;

const waitOf = ({ expiresAt }: Request, step = "review") => ({
  kind: "event",
  step,
  event: ` approval:${step}`,
  approval: true,
  ...(expiresAt === undefined ? {} : { until: expiresAt }),
});

/** Commits a wait for an approval, with its request. */
async function commit(
  { runs, delivery }: Pick<Asked, "runs" | "delivery">,
  request: Request = {},
  transition = "suspend",
  on: Pick<TestDatabase, "query"> = database,
): Promise<unknown> {
  const waits = transition === "complete" ? undefined : [waitOf(request)];
  const [row] = await on.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4],
       array[$5::jsonb], array[null::timestamptz], effect_items => array[1], effect_kinds => array['approval'],
       effect_steps => array['review'], effect_targets => array[null], effect_events => array[null],
       effect_values => array[$6::jsonb], effect_versions => array[null::integer],
       effect_retention => array[null::integer], effect_traces => array[null::jsonb])`,
    [
      runs.name,
      delivery.run_id,
      delivery.receipt,
      transition,
      JSON.stringify(waits === undefined ? 1 : { waits, retries: [], journaled: 0 }),
      JSON.stringify({ title: "Ship?", ...request }),
    ],
  );
  return row?.["outcome"];
}

const idsOf = async (runId: string): Promise<string[]> => {
  const rows = await database.query(
    "select approval_id::text as id from queue.approval_list(run_id => $1)",
    [runId],
  );
  return rows.map((row) => String(row["id"]));
};

/** A run that waits for an approval; executing on a worker if the lease is kept. */
async function ask(
  request: Request = {},
  { transition = "suspend", workflow = "" } = {},
): Promise<Asked> {
  made += 1;
  const runs = new Runs(database, workflow === "" ? `ask-${made}` : workflow);
  const runId = await runs.start();
  const delivery = await runs.receiveOne();
  expect(await commit({ runs, delivery }, request, transition)).toBe("ok");
  const [id = ""] = await idsOf(runId);
  return { runs, runId, id, delivery };
}

interface Decision {
  readonly decision?: string;
  readonly actor?: string;
  readonly values?: unknown;
  readonly groups?: readonly string[];
}

const decide = async (
  id: string,
  { decision = "approved", actor = "ada", values, groups }: Decision = {},
  on: Pick<TestDatabase, "query"> = database,
): Promise<unknown> => {
  const [row] = await on.query("select queue.approval_decide($1, $2, $3, $4, $5) as outcome", [
    id,
    decision,
    values === undefined ? null : JSON.stringify(values),
    actor,
    groups ?? null,
  ]);
  return row?.["outcome"];
};

const get = async (id: string): Promise<Record<string, unknown>> => {
  const [row] = await database.query("select * from queue.approval_get($1)", [id]);
  return row ?? {};
};

const journaled = async (runId: string): Promise<unknown> => {
  const [row] = await database.query(
    "select output from queue.workflow_journal($1) where name = 'review'",
    [runId],
  );
  return row?.["output"];
};

const violations = () => database.query("select * from queue.check_invariants()");

describe("a decision", () => {
  it("ends the request, and reaches the run that waits", async () => {
    const { id, runId, runs } = await ask({ form: { type: "object" } });
    expect(await get(id)).toMatchObject({
      status: "waiting",
      title: "Ship?",
      workflow_name: runs.name,
      step_name: "review",
      quorum: 1,
      rejections: 1,
      approvers: null,
      form: { type: "object" },
      ended_at: null,
      decisions: [],
    });
    expect(await decide(id, { values: { why: "paid" } })).toBe("delivered");
    const { status, decisions } = await get(id);
    expect(status).toBe("approved");
    expect(decisions).toEqual([
      { actor: "ada", decision: "approved", values: { why: "paid" }, at: expect.any(String) },
    ]);
    expect(await journaled(runId)).toEqual({
      decision: "approved",
      actor: "ada",
      values: { why: "paid" },
      decisions,
    });
    expect(await decide(id, { actor: "bob", decision: "rejected" })).toBe("decided");
    expect(await runs.receive()).toHaveLength(1);
    expect(await violations()).toEqual([]);
  });

  it("reaches a run that executes, with its next commit", async () => {
    const asked = await ask({}, { transition: "keep" });
    expect(await decide(asked.id, { decision: "rejected" })).toBe("delivered");
    expect(await journaled(asked.runId)).toBeUndefined();
    const result = { waits: [waitOf({})], retries: [], journaled: 0 };
    const [row] = await asked.runs.commit([{ ...asked, transition: "suspend", result }]);
    expect(row).toMatchObject({
      outcome: "ok",
      resolved: [{ step: "review", payload: { decision: "rejected" } }],
    });
  });

  it("can't be forged by a signal", async () => {
    const { id, runId, runs } = await ask();
    await expect(runs.signal(runId, " approval:review", { decision: "approved" })).rejects.toThrow(
      /invalid event name/,
    );
    expect(await runs.signal(runId, "approval:review", {})).toEqual([{ outcome: "buffered" }]);
    expect(await get(id)).toMatchObject({ status: "waiting" });
  });

  it("needs the quorum, each person once", async () => {
    const { id, runId } = await ask({ quorum: 2, rejections: 2 });
    expect(await decide(id)).toBe("counted");
    expect(await decide(id)).toBe("decided");
    expect(await decide(id, { decision: "rejected" })).toBe("decided");
    expect(await decide(id, { actor: "bob", decision: "rejected" })).toBe("counted");
    expect(await journaled(runId)).toBeUndefined();
    expect(await decide(id, { actor: "cyd" })).toBe("delivered");
    expect(await journaled(runId)).toMatchObject({
      decision: "approved",
      actor: "cyd",
      decisions: [{ actor: "ada" }, { actor: "bob", decision: "rejected" }, { actor: "cyd" }],
    });
  });

  it("that changes nothing is in the audit once for each person and decision", async () => {
    const { id, runs } = await ask();
    expect(await decide(id)).toBe("delivered");
    for (const actor of ["ada", "bob"]) {
      for (const decision of [
        "approved",
        "rejected",
        "approved",
        "rejected",
        "approved",
      ] as const) {
        expect(await decide(id, { actor, decision })).toBe("decided");
      }
    }
    const entries = await runs.database.query<{ by: string; decision: string; outcome: string }>(
      `select detail ->> 'by' as by, detail ->> 'decision' as decision, outcome
       from queue.audit_list(subject_type => 'approval', subject => $1) order by audit_id`,
      [id],
    );
    expect(entries.map(({ by, decision, outcome }) => `${by} ${decision} ${outcome}`)).toEqual([
      "ada approved changed",
      "ada approved unchanged",
      "ada rejected unchanged",
      "bob approved unchanged",
      "bob rejected unchanged",
    ]);
  });

  it("is of an approver, by name or by group", async () => {
    const { id } = await ask({ approvers: ["risk", "bob"], quorum: 2 });
    await expect(decide(id)).rejects.toMatchObject({ code: "OX023" });
    await expect(decide(id, { groups: ["sales"] })).rejects.toMatchObject({ code: "OX023" });
    expect(await decide(id, { groups: ["sales", "risk"] })).toBe("counted");
    expect(await decide(id, { actor: "bob" })).toBe("delivered");
  });

  it("is not of the starter, nor of who repeated the run or started the run that invoked it", async () => {
    made += 1;
    const runs = new Runs(database, `started-${made}`);
    const session = await openSession(database);
    const start = async (actor: string): Promise<string> => {
      await session.query("begin");
      await session.query("select set_config('oxbow.actor', $1, true)", [actor]);
      const [row] = await session.query("select run_id::text from queue.workflow_start($1, '{}')", [
        runs.name,
      ]);
      await session.query("commit");
      return String(row?.["run_id"]);
    };
    const first = await start("ada");
    await session.query("begin");
    await session.query("select set_config('oxbow.actor', 'bob', true)");
    const [again] = await session.query("select queue.workflow_rerun($1)::text as run_id", [first]);
    await session.query("commit");
    await database.query("select queue.workflow_cancel($1)", [first]);
    const delivery = await runs.receiveOne();
    expect(delivery.run_id).toBe(again?.["run_id"]);
    await commit({ runs, delivery }, { excludeStarter: true });
    const [id = ""] = await idsOf(delivery.run_id);
    await expect(decide(id, { actor: "ada" })).rejects.toThrow(/started the run/);
    await expect(decide(id, { actor: "bob" })).rejects.toMatchObject({ code: "OX023" });
    const mine = await database.query(
      "select from queue.approval_list(approver => 'bob', workflow => $1)",
      [runs.name],
    );
    expect(mine).toEqual([]);
    expect(await decide(id, { actor: "cyd" })).toBe("delivered");
  });

  it("compares people whatever the case of their letters", async () => {
    const { id } = await ask({ approvers: ["ada@example.com", "bob@example.com"], quorum: 2 });
    expect(await decide(id, { actor: "ADA@Example.com" })).toBe("counted");
    expect(await decide(id, { actor: "ada@example.com" })).toBe("decided");
    expect(await decide(id, { actor: "BOB@example.com" })).toBe("delivered");
    await expect(
      database.query(
        "select queue._require_approver(1, null, array['ada@example.com'], 'ADA@example.com', null)",
      ),
    ).rejects.toMatchObject({ code: "OX023" });
  });

  it("is refused with invalid values", async () => {
    const { id } = await ask();
    await expect(decide(id, { decision: "maybe" })).rejects.toMatchObject({ code: "OX004" });
    await expect(decide(id, { values: [1] })).rejects.toMatchObject({ code: "OX004" });
    await expect(decide(id, { values: { long: "x".repeat(70_000) } })).rejects.toMatchObject({
      code: "OX008",
    });
    await expect(decide("987654321")).rejects.toMatchObject({ code: "OX022" });
  });

  it("of a role that is no administrator is its own, whatever name and groups it gives", async () => {
    const { id } = await ask({ approvers: ["risk"] });
    const session = await openSession(database);
    await session.query("set session authorization oxbow_producer");
    await expect(
      session.query("select queue.approval_decide($1, 'approved', null, 'ada', array['risk'])", [
        id,
      ]),
    ).rejects.toMatchObject({ code: "OX023" });
    await expect(
      session.query("select queue.approval_link($1, 'ada')", [id]),
    ).rejects.toMatchObject({ code: "42501" });
    const other = await ask({ approvers: ["oxbow_producer"] });
    const [row] = await session.query("select queue.approval_decide($1, 'approved') as outcome", [
      other.id,
    ]);
    expect(row).toEqual({ outcome: "delivered" });
  });

  it("is in the audit, without its values", async () => {
    const { id } = await ask();
    await decide(id, { values: { secret: "s3cret" } });
    const [entry] = await database.query(
      "select * from queue.audit_list(subject_type => 'approval', subject => $1)",
      [id],
    );
    expect(entry).toMatchObject({
      action: "approval.decide",
      outcome: "changed",
      detail: { by: "ada", decision: "approved", result: "delivered", step: "review" },
    });
    expect(JSON.stringify(entry)).not.toContain("s3cret");
  });
});

describe("at the same time", () => {
  /** Two sessions: the first holds the run until it commits. */
  const two = async (): Promise<[Session, Session]> => {
    const sessions: [Session, Session] = [await openSession(database), await openSession(database)];
    await sessions[0].query("begin");
    return sessions;
  };

  it("of two people, the first decides", async () => {
    const { id, runId } = await ask();
    const [first, second] = await two();
    expect(await decide(id, { actor: "ada" }, first)).toBe("delivered");
    const late = decide(id, { actor: "bob", decision: "rejected" }, second);
    await second.isBlocked(first);
    await first.query("commit");
    expect(await late).toBe("decided");
    expect(await journaled(runId)).toMatchObject({ decision: "approved", actor: "ada" });
  });

  it("the same person counts once", async () => {
    const { id } = await ask({ quorum: 2 });
    const sessions = await Promise.all(Array.from({ length: 6 }, () => openSession(database)));
    const outcomes = await Promise.all(sessions.map((session) => decide(id, {}, session)));
    expect(outcomes.filter((outcome) => outcome === "counted")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "decided")).toHaveLength(5);
  });

  it("of many people, the quorum decides once", async () => {
    const { id, runId } = await ask({ quorum: 3 });
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(database)));
    const outcomes = await Promise.all(
      sessions.map((session, n) => decide(id, { actor: `person ${n}` }, session)),
    );
    expect(outcomes.map(String).toSorted()).toEqual([
      "counted",
      "counted",
      "decided",
      "decided",
      "decided",
      "decided",
      "decided",
      "delivered",
    ]);
    expect(((await journaled(runId)) as { decisions: unknown[] }).decisions).toHaveLength(3);
    expect(await violations()).toEqual([]);
  });

  it("a cancellation before the decision withdraws the request", async () => {
    const { id, runId } = await ask();
    const [first, second] = await two();
    await first.query("select queue.workflow_cancel($1)", [runId]);
    const late = decide(id, {}, second);
    await second.isBlocked(first);
    await first.query("commit");
    expect(await late).toBe("expired");
    expect(await get(id)).toMatchObject({ status: "withdrawn", decisions: [] });
  });

  it("a decision before the cancellation stays", async () => {
    const { id, runId } = await ask();
    const [first, second] = await two();
    expect(await decide(id, {}, first)).toBe("delivered");
    const late = second.query("select queue.workflow_cancel($1) as outcome", [runId]);
    await second.isBlocked(first);
    await first.query("commit");
    await late;
    expect(await get(id)).toMatchObject({ status: "approved" });
    expect(await violations()).toEqual([]);
  });

  it("the timeout before the decision expires the request", async () => {
    const asked = await ask({ expiresAt: "2020-01-01T00:00:00.000Z" }, { transition: "keep" });
    expect(await get(asked.id)).toMatchObject({ status: "expired", ended_at: null });
    expect(await decide(asked.id)).toBe("expired");
    const result = {
      waits: [{ ...waitOf({ expiresAt: "2020-01-01T00:00:00.000Z" }), expired: true }],
      retries: [],
      journaled: 0,
    };
    const [row] = await asked.runs.commit([{ ...asked, transition: "suspend", result }]);
    expect(row).toMatchObject({ resolved: [{ step: "review", expired: true }] });
    expect(await get(asked.id)).toMatchObject({ status: "expired", ended_at: expect.any(Date) });
    expect(await decide(asked.id)).toBe("expired");
  });

  it("a decision before the deadline wins over a timeout that is submitted late", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const asked = await ask({ expiresAt }, { transition: "keep" });
    expect(await decide(asked.id)).toBe("delivered");
    const result = {
      waits: [{ ...waitOf({ expiresAt }), expired: true }],
      retries: [],
      journaled: 0,
    };
    const [row] = await asked.runs.commit([{ ...asked, transition: "suspend", result }]);
    expect(row).toMatchObject({ resolved: [{ payload: { decision: "approved" } }] });
    expect(await get(asked.id)).toMatchObject({ status: "approved" });
  });
});

describe("a request", () => {
  it("is made once, though its commit is repeated, even after a decision", async () => {
    const asked = await ask({}, { transition: "keep" });
    expect(await commit(asked, {}, "keep")).toBe("ok");
    expect(await idsOf(asked.runId)).toEqual([asked.id]);
    expect(await decide(asked.id)).toBe("delivered");
    expect(await commit(asked, {}, "keep")).toBe("ok");
    expect(await idsOf(asked.runId)).toEqual([asked.id]);
  });

  it("is published in the transaction of the commit", async () => {
    await database.query("select queue.create_queue('requested')");
    await database.query(
      "select queue.subscribe('oxbow.approval.requested', 'queue', 'requested')",
    );
    const { id, runId, runs } = await ask({ approvers: ["ada"] });
    const [message] = await database.query("select message from queue.receive('requested')");
    expect(message?.["message"]).toEqual({
      approvalId: id,
      runId,
      workflow: runs.name,
      step: "review",
      title: "Ship?",
      approvers: ["ada"],
    });
  });

  it.each([
    { title: 1 },
    { quorum: 0 },
    { quorum: "2" },
    { approvers: "ada" },
    { excludeStarter: 1 },
  ])("is refused if it is %j", async (invalid) => {
    const runs = new Runs(database, "invalid-request");
    await runs.start();
    const delivery = await runs.receiveOne();
    await expect(commit({ runs, delivery }, invalid as Request)).rejects.toMatchObject({
      code: "OX004",
    });
    await runs.commit([{ delivery, transition: "complete", result: 1 }]);
  });

  it("is withdrawn when its run ends, in the commit that asks as well", async () => {
    const asked = await ask({}, { transition: "keep" });
    await asked.runs.commit([
      { ...asked, transition: "fail", result: { name: "E", message: "m" } },
    ]);
    expect(await get(asked.id)).toMatchObject({ status: "withdrawn" });
    expect(await decide(asked.id)).toBe("expired");

    const runs = new Runs(database, "ends-at-once");
    const runId = await runs.start();
    const delivery = await runs.receiveOne();
    expect(await commit({ runs, delivery }, {}, "complete")).toBe("ok");
    const [id = ""] = await idsOf(runId);
    expect(await get(id)).toMatchObject({ status: "withdrawn" });
    expect(await violations()).toEqual([]);
  });

  it("is withdrawn by a cancellation with rollback", async () => {
    const { id, runId } = await ask();
    await database.query("select queue.workflow_cancel($1, rollback => true)", [runId]);
    expect(await get(id)).toMatchObject({ status: "withdrawn" });
    expect(await decide(id)).toBe("expired");
  });

  it("is made again by a retry of its run, and an unread decision does not answer it", async () => {
    const asked = await ask({}, { transition: "keep" });
    expect(await decide(asked.id)).toBe("delivered");
    await asked.runs.commit([
      { ...asked, transition: "fail", result: { name: "E", message: "m" } },
    ]);
    await database.query("select queue.workflow_retry($1)", [asked.runId]);
    const delivery = await asked.runs.receiveOne();
    await commit({ ...asked, delivery });
    const [second = "", first] = await idsOf(asked.runId);
    expect(first).toBe(asked.id);
    expect(await get(second)).toMatchObject({ status: "waiting" });
    expect(await journaled(asked.runId)).toBeUndefined();
    expect(await decide(second, { decision: "rejected" })).toBe("delivered");
    expect(await journaled(asked.runId)).toMatchObject({ decision: "rejected" });
  });

  it("is withdrawn by the next generation, which asks again", async () => {
    const asked = await ask({}, { transition: "keep" });
    await asked.runs.commit([{ ...asked, transition: "continue", result: { input: {} } }]);
    expect(await get(asked.id)).toMatchObject({ status: "withdrawn" });
    const delivery = await asked.runs.receiveOne();
    await commit({ ...asked, delivery });
    const [second = ""] = await idsOf(asked.runId);
    expect(second).not.toBe(asked.id);
    expect(await decide(asked.id)).toBe("expired");
    expect(await decide(second)).toBe("delivered");
  });

  it("is withdrawn by its step, which is abandoned", async () => {
    const { id, delivery, runs } = await ask({}, { transition: "keep" });
    await database.query(
      `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['keep'], array['{"waits": []}'::jsonb],
         array[null::timestamptz], effect_items => array[1], effect_kinds => array['withdraw'],
         effect_steps => array['review'], effect_targets => array[null], effect_events => array[null],
         effect_values => array[null::jsonb], effect_versions => array[null::integer],
         effect_retention => array[null::integer], effect_traces => array[null::jsonb])`,
      [runs.name, delivery.run_id, delivery.receipt],
    );
    expect(await get(id)).toMatchObject({ status: "withdrawn" });
  });

  it("leaves with its run, and so do decisions and links", async () => {
    const { id, runId, runs } = await ask({ quorum: 2 });
    await decide(id);
    await database.query("select queue.approval_link($1, 'bob')", [id]);
    await database.query("select queue.workflow_cancel($1)", [runId]);
    await database.query(
      "update queue.workflow_run set expires_at = clock_timestamp() where run_id = $1",
      [runId],
    );
    await database.query("select queue.workflow_sweep()");
    await expect(get(id)).rejects.toMatchObject({ code: "OX022" });
    for (const table of ["approval_decision", "approval_token"]) {
      const left = await database.query(`select from queue.${table} where approval_id = $1`, [id]);
      expect(left).toEqual([]);
    }
    expect(runs.name).toBeDefined();
  });
});

describe("a link", () => {
  const link = async (id: string, actor: string, groups: readonly string[] | null = null) => {
    const [row] = await database.query("select queue.approval_link($1, $2, $3) as token", [
      id,
      actor,
      groups,
    ]);
    return String(row?.["token"]);
  };
  const recipient = async (token: string) => {
    const [row] = await database.query("select * from queue.approval_of_link($1)", [token]);
    return row;
  };

  it("names one request and one person, and is stored as a hash", async () => {
    const { id } = await ask({ approvers: ["bob", "risk"] });
    const [bob, cyd] = [await link(id, "bob"), await link(id, "cyd", ["risk"])];
    expect(bob).toMatch(/^[0-9a-f]{64}$/);
    expect(bob).not.toBe(cyd);
    expect(await recipient(bob)).toMatchObject({
      approval_id: id,
      actor: "bob",
      actor_groups: null,
    });
    expect(await recipient(cyd)).toMatchObject({ actor: "cyd", actor_groups: ["risk"] });
    for (const other of ["0".repeat(64), String.raw`\z`]) {
      await expect(recipient(other)).rejects.toMatchObject({ code: "OX022" });
    }
    const stored = await database.query("select l::text as row from queue.approval_token as l");
    expect(JSON.stringify(stored)).not.toContain(bob);
  });

  it("is not made for people who may not decide", async () => {
    const { id } = await ask({ approvers: ["bob"] });
    await expect(link(id, "ada")).rejects.toMatchObject({ code: "OX023" });
    await expect(link(id, " ")).rejects.toMatchObject({ code: "OX004" });
    await expect(link("987654321", "bob")).rejects.toMatchObject({ code: "OX022" });
  });
});

describe("lists", () => {
  it("filter by state, workflow, run and approver, in pages", async () => {
    const workflow = "listed";
    const [mine, groups, anyones] = [
      await ask({ approvers: ["ada"] }, { workflow }),
      await ask({ approvers: ["risk"] }, { workflow }),
      await ask({}, { workflow }),
    ];
    await decide(anyones.id, { actor: "zoe", decision: "rejected" });
    const list = async (filter: string): Promise<unknown[]> => {
      const rows = await database.query(
        `select approval_id::text as id from queue.approval_list(workflow => 'listed'${filter})`,
      );
      return rows.map((row) => row["id"]);
    };
    expect(await list("")).toEqual([anyones.id, groups.id, mine.id]);
    expect(await list(", status => 'waiting'")).toEqual([groups.id, mine.id]);
    expect(await list(", status => 'decided'")).toEqual([anyones.id]);
    expect(await list(", status => 'rejected'")).toEqual([anyones.id]);
    expect(await list(", approver => 'ada'")).toEqual([anyones.id, mine.id]);
    expect(await list(", approver => 'ada', groups => array['risk'], status => 'waiting'")).toEqual(
      [groups.id, mine.id],
    );
    expect(await list(`, run_id => ${groups.runId}`)).toEqual([groups.id]);
    expect(await list(", max_approvals => 1")).toEqual([anyones.id]);
    expect(await list(`, before => ${anyones.id}, max_approvals => 1`)).toEqual([groups.id]);
    await expect(list(", status => 'open'")).rejects.toMatchObject({ code: "OX004" });
    await expect(list(", max_approvals => 0")).rejects.toMatchObject({ code: "OX004" });
  });

  it("of waiting requests read an index of these, however many have ended", async () => {
    const own = await createDatabase();
    await own.query("select queue.migrate()");
    await own.query(
      `insert into queue.approval (run_id, requested_at, ended_at, quorum, rejections, excludes_starter, workflow_name, step_name, outcome, title)
       select n, clock_timestamp(), clock_timestamp(), 1, 1, false, 'w', 's', 'approved', 't' from generate_series(1, 50000) as n`,
    );
    await own.query("analyze queue.approval");
    const explain = await planner(own);
    const { indexes } = await explain(
      "select count(*) from queue.approval_list(status => 'waiting')",
    );
    expect(indexes).toContain("approval_waiting");
  });
});
