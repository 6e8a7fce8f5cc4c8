import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { planner } from "../../helpers/plans.ts";
import { only } from "../../helpers/queues.ts";
import { openSession, openTransaction, type Session } from "../../helpers/session.ts";

const database = await createDatabase();
await database.query("select queue.migrate()");
const owner = String(only(await database.query("select session_user as name"))["name"]);

interface Filter {
  readonly action?: string;
  readonly subjectType?: string;
  readonly subject?: string;
  readonly actor?: string;
}

const list = (
  { action, subjectType, subject, actor }: Filter,
  on: Pick<TestDatabase, "query"> = database,
): Promise<Record<string, unknown>[]> =>
  on.query(
    "select * from queue.audit_list(action => $1, subject => $2, actor => $3, subject_type => $4)",
    [action ?? null, subject ?? null, actor ?? null, subjectType ?? null],
  );

/** Starts a run, and returns its id. */
async function start(workflow: string): Promise<string> {
  const row = only(
    await database.query("select run_id::text from queue.workflow_start($1, '{}')", [workflow]),
  );
  return String(row["run_id"]);
}

/** A session whose login is this role. */
async function as(role: string): Promise<Session> {
  const session = await openSession(database);
  await session.query(`set session authorization ${role}`);
  return session;
}

/** What each function leaves in the audit: its calls, and the entry of the last one. */
const ACTIONS: readonly {
  readonly calls: readonly string[];
  readonly entry: Readonly<Record<string, unknown>>;
}[] = [
  {
    calls: ["queue.create_queue('made', true)"],
    entry: { action: "queue.create", subject: "made", detail: { kind: "fifo" } },
  },
  {
    calls: ["queue.create_queue('full')", "queue.send('full', '1')", "queue.purge_queue('full')"],
    entry: { action: "queue.purge", subject: "full", detail: { messages: 1 } },
  },
  {
    calls: ["queue.create_queue('empty')", "queue.purge_queue('empty')"],
    entry: { action: "queue.purge", subject: "empty", outcome: "unchanged" },
  },
  {
    calls: ["queue.create_queue('letters')", "queue.redrive('letters')"],
    entry: { action: "queue.redrive", outcome: "unchanged", detail: { messages: 0 } },
  },
  {
    calls: [
      "queue.create_queue('here')",
      "queue.create_queue('there')",
      "queue.send('here', '1')",
      "queue.move_messages('here', 'there')",
    ],
    entry: { action: "queue.move", subject: "here", detail: { target: "there", messages: 1 } },
  },
  {
    calls: ["queue.create_queue('gone')", "queue.drop_queue('gone')"],
    entry: { action: "queue.drop", subject: "gone" },
  },
  {
    calls: [
      "queue.create_queue('shared')",
      "queue.grant_queue('shared', 'oxbow_reader', 'send')",
      "queue.revoke_queue('shared', 'oxbow_reader', 'send')",
    ],
    entry: { action: "queue.revoke", detail: { role: "oxbow_reader", privilege: "send" } },
  },
  {
    calls: ["queue.subscribe('a.b', 'http', 'https://user:secret@example.org/')"],
    entry: {
      action: "subscription.create",
      detail: { pattern: "a.b", target_type: "http", target: "https://user:***@example.org/" },
    },
  },
  {
    calls: ["queue.enable_subscription(12345)"],
    entry: { action: "subscription.enable", subject: "12345", outcome: "unchanged" },
  },
  {
    calls: ["queue.unsubscribe(queue.subscribe('c.d', 'workflow', 'w'))"],
    entry: { action: "subscription.delete", detail: { pattern: "c.d", target: "w" } },
  },
  {
    calls: ["queue.endpoint_add('https://user:secret@example.org/api', 5)"],
    entry: {
      action: "endpoint.add",
      detail: { url: "https://user:***@example.org/api", concurrency: 5 },
    },
  },
  ...["sync", "pause", "resume"].map((verb) => ({
    calls: [`queue.endpoint_${verb}((select e.endpoint_id from queue.endpoints() as e))`],
    entry: { action: `endpoint.${verb}`, subject_type: "endpoint", outcome: "changed" },
  })),
  {
    calls: ["queue.endpoint_remove((select e.endpoint_id from queue.endpoints() as e))"],
    entry: { action: "endpoint.remove", detail: { url: "https://user:***@example.org/api" } },
  },
  {
    calls: ["queue.redrive_topic_dead_letters()"],
    entry: { action: "dead_letter.redrive", subject: "all", outcome: "unchanged" },
  },
  {
    calls: ["queue.schedule_create('s1', 'w', every_seconds => 60)"],
    entry: { action: "schedule.create", detail: { workflow: "w", every_seconds: 60 } },
  },
  {
    calls: [
      "queue.schedule_create('s2', 'w', every_seconds => 60)",
      "queue.schedule_create('s2', 'w', cron => '@daily')",
    ],
    entry: { action: "schedule.change", detail: { workflow: "w", cron: "@daily" } },
  },
  {
    calls: [
      "queue.schedule_create('s3', 'w', every_seconds => 60)",
      "queue.schedule_pause('s3', 'holiday')",
    ],
    entry: { action: "schedule.pause", detail: { reason: "holiday" } },
  },
  {
    calls: ["queue.schedule_create('s4', 'w', every_seconds => 60)", "queue.schedule_resume('s4')"],
    entry: { action: "schedule.resume", outcome: "unchanged", detail: null },
  },
  {
    calls: [
      "queue.schedule_create('s5', 'w', every_seconds => 60)",
      "queue.schedule_trigger('s5')",
    ],
    entry: { action: "schedule.trigger", detail: { run_id: expect.stringMatching(/^\d+$/) } },
  },
  {
    calls: ["queue.schedule_create('s6', 'w', every_seconds => 60)", "queue.schedule_delete('s6')"],
    entry: { action: "schedule.delete", subject: "s6" },
  },
  {
    calls: [`queue.workflow_set_flow_control('limited', '{"concurrency": 3}')`],
    entry: {
      action: "workflow.set_flow_control",
      detail: { version: 1, settings: { concurrency: 3 } },
    },
  },
  {
    calls: ["queue.workflow_index_input('searched')"],
    entry: { action: "workflow.index_input", detail: { indexed: true } },
  },
  {
    calls: ["queue.workflow_set_max_retention(400)"],
    entry: { action: "setting.change", subject: "max_retention_days", detail: { days: 400 } },
  },
  {
    calls: [
      "queue.workflow_register(array['old'], array[1])",
      "queue.workflow_unregister('old', 1)",
    ],
    entry: { action: "workflow.unregister", subject: "old", detail: { version: 1 } },
  },
];

describe("the audit", () => {
  it.each(ACTIONS)("has what the last of $calls did", async ({ calls, entry }) => {
    for (const call of calls) await database.query(`select ${call}`);
    const [newest] = await list({ action: String(entry["action"]) });
    expect(newest).toMatchObject({
      outcome: "changed",
      actor: owner,
      actor_kind: "role",
      role_name: owner,
      token: null,
      ...entry,
    });
  });

  it("has one entry per change of a run, with its reason", async () => {
    const runId = await start("changed");
    for (const call of [
      "workflow_pause($1, 'maintenance')",
      "workflow_pause($1, 'again')",
      "workflow_resume($1)",
      "workflow_cancel($1, 'a mistake')",
      "workflow_retry($1)",
    ]) {
      await database.query(`select queue.${call}`, [runId]);
    }
    const rerun = only(
      await database.query("select queue.workflow_rerun($1, input => '{}')::text as id", [runId]),
    );
    const entries = await list({ subjectType: "run", subject: runId });
    expect(entries.map(({ action, outcome, detail }) => ({ action, outcome, detail }))).toEqual([
      {
        action: "run.rerun",
        outcome: "changed",
        detail: { new_run_id: rerun["id"], input_replaced: true },
      },
      { action: "run.retry", outcome: "changed", detail: null },
      { action: "run.cancel", outcome: "changed", detail: { reason: "a mistake" } },
      { action: "run.resume", outcome: "changed", detail: null },
      { action: "run.pause", outcome: "unchanged", detail: { reason: "again" } },
      { action: "run.pause", outcome: "changed", detail: { reason: "maintenance" } },
    ]);
  });

  it("has each run that a change by a filter has changed, and no other", async () => {
    const ids = await Promise.all([start("many"), start("many"), start("many")]);
    await database.query("select queue.workflow_pause($1)", [ids[0]]);
    await database.query(
      `select queue.workflow_pause_all('{"name": "many", "status": "running"}', 'storm')`,
    );
    const changed = (await list({ action: "run.pause" })).filter(
      ({ detail }) => (detail as { reason?: string } | null)?.reason === "storm",
    );
    expect(changed.map(({ subject }) => String(subject)).toSorted()).toEqual(
      ids.slice(1).toSorted(),
    );
    expect(changed[0]).toMatchObject({ outcome: "changed", detail: { bulk: true } });
  });

  it("has nothing of what was rolled back, or has failed", async () => {
    const runId = await start("undone");
    const session = await openTransaction(database);
    await session.query("select queue.workflow_cancel($1)", [runId]);
    expect(await list({ subjectType: "run", subject: runId }, session as never)).toHaveLength(1);
    await session.query("rollback");
    expect(await list({ subjectType: "run", subject: runId })).toEqual([]);
    await expect(database.query("select queue.workflow_cancel(999999999)")).rejects.toThrow();
    expect(await list({ subject: "999999999" })).toEqual([]);
  });

  it("has no starts, signals, messages and commits, nor what a start does to the run before it", async () => {
    const before = await database.query("select count(*) from queue.audit");
    for (const call of [
      "workflow_start('busy', '{}', idempotency_key => 'k')",
      "workflow_start('busy', '{}', idempotency_key => 'k', on_running => 'cancel-existing')",
      "workflow_start_batch('busy', array['{}', '{}']::jsonb[])",
      "workflow_receive(array['busy'])",
      "workflow_signal(1, 'e')",
      "send('sent', '1')",
      "receive('sent')",
      "send_topic('t', '1')",
    ]) {
      if (call.startsWith("send('sent'")) {
        await database.query("select queue.create_queue('sent')");
        await database.query("delete from queue.audit where subject = 'sent'");
      }
      await database.query(`select queue.${call}`);
    }
    expect(await database.query("select count(*) from queue.audit")).toEqual(before);
  });

  it("doesn't repeat what a deployment declares again", async () => {
    for (let time = 0; time < 2; time += 1) {
      await database.query("select queue.create_queue('declared')");
      await database.query("select queue.subscribe('declared', 'queue', 'declared')");
      await database.query("select queue.schedule_create('declared', 'w', cron => '@daily')");
      await database.query(
        `select queue.workflow_set_flow_control('declared', '{"concurrency": 1}')`,
      );
    }
    for (const subject of ["declared"]) {
      const entries = await list({ subject });
      expect(entries.map(({ action }) => String(action)).toSorted()).toEqual([
        "queue.create",
        "schedule.create",
        "workflow.set_flow_control",
      ]);
    }
  });
});

describe("the actor", () => {
  const cancel = async (session: Session): Promise<Record<string, unknown>> => {
    const runId = await start("acted");
    await session.query("select queue.workflow_cancel($1)", [runId]);
    return only(await list({ subjectType: "run", subject: runId }));
  };

  it("is the role that logged in", async () => {
    expect(await cancel(await as("oxbow_producer"))).toMatchObject({
      actor: "oxbow_producer",
      actor_kind: "role",
      role_name: "oxbow_producer",
    });
  });

  it("remains the role that logged in after SET ROLE, also where it names another actor", async () => {
    const person = `person_${randomBytes(6).toString("hex")}`;
    await database.query(`create role ${person} in role oxbow_producer, oxbow_admin`);
    onTestFinished(async () => {
      await database.query(`drop role ${person}`);
    });
    const session = await as(person);
    await session.query("set role oxbow_producer");
    expect(await cancel(session)).toMatchObject({
      actor: person,
      actor_kind: "role",
      role_name: person,
    });
    await session.query("set role oxbow_admin");
    await session.query("set oxbow.actor = 'ada'");
    expect(await cancel(session)).toMatchObject({
      actor: "ada",
      actor_kind: "delegate",
      role_name: person,
    });
  });

  it("is what an administrator names in oxbow.actor, for its transaction", async () => {
    const session = await as("oxbow_admin");
    await session.query("begin");
    await session.query("set local oxbow.actor = 'ada@example.com'");
    expect(
      await session
        .query("select queue.create_queue('of-ada')")
        .then(() => list({ action: "queue.create", subject: "of-ada" }, session as never)),
    ).toMatchObject([
      { actor: "ada@example.com", actor_kind: "delegate", role_name: "oxbow_admin" },
    ]);
    await session.query("commit");
    expect(await cancel(session)).toMatchObject({ actor: "oxbow_admin", actor_kind: "role" });
  });

  it("with its kind, token and address, is what a server sets", async () => {
    const session = await as("oxbow_admin");
    const actor = { actor: "eve", kind: "delegate", token: "portal", address: "192.0.2.7" };
    await session.query("select set_config('oxbow.actor', $1, false)", [JSON.stringify(actor)]);
    expect(await cancel(session)).toMatchObject({
      actor: "eve",
      actor_kind: "delegate",
      token: "portal",
      address: "192.0.2.7",
      role_name: "oxbow_admin",
    });
  });

  it("can't be named by a role without the right", async () => {
    const session = await as("oxbow_producer");
    for (const setting of ["ada", '{"actor": "ada", "kind": "user"}', "{broken"]) {
      await session.query("select set_config('oxbow.actor', $1, false)", [setting]);
      expect(await cancel(session)).toMatchObject({ actor: "oxbow_producer", actor_kind: "role" });
    }
  });

  it("that is not JSON is refused with the remedy", async () => {
    const session = await as("oxbow_admin");
    await session.query("set oxbow.actor = '{broken'");
    await expect(cancel(session)).rejects.toMatchObject({
      code: "OX004",
      hint: expect.stringContaining("name of the actor"),
    });
  });
});

describe("audit_list", () => {
  it("pages without gaps and repeats, though entries are added in between", async () => {
    const own = await createDatabase();
    for (let n = 0; n < 7; n += 1) await own.query("select queue.create_queue($1)", [`q${n}`]);
    const seen: unknown[] = [];
    let last: Record<string, unknown> | undefined;
    for (let page = 0; page < 4; page += 1) {
      const rows = await own.query(
        "select *, acted_at::text as at from queue.audit_list(max_entries => 2, before => $1, before_acted_at => $2)",
        [last?.["audit_id"] ?? null, last?.["at"] ?? null],
      );
      seen.push(...rows.map(({ subject }) => subject));
      last = rows.at(-1);
      await own.query("select queue.create_queue($1)", [`later${page}`]);
    }
    expect(seen).toEqual(["q6", "q5", "q4", "q3", "q2", "q1", "q0"]);
  });

  it("rejects half of a cursor, and pages that are too large", async () => {
    for (const [call, message] of [
      ["before => 1", "before and before_acted_at require each other"],
      ["max_entries => 0", "invalid max_entries 0"],
      ["max_entries => 10001", "invalid max_entries 10001"],
    ]) {
      await expect(database.query(`select * from queue.audit_list(${call})`)).rejects.toMatchObject(
        { code: "OX004", message },
      );
    }
  });

  it("is for readers and administrators", async () => {
    for (const role of ["oxbow_reader", "oxbow_admin"]) {
      const session = await as(role);
      await session.query("select * from queue.audit_list()");
    }
    for (const role of ["oxbow_producer", "oxbow_worker"]) {
      const session = await as(role);
      await expect(session.query("select * from queue.audit_list()")).rejects.toMatchObject({
        code: "42501",
      });
    }
  });

  it("finds its entries by an index, whatever the condition", async () => {
    const own = await createDatabase();
    await own.query("select queue.migrate()");
    await own.query(
      `insert into queue.audit (acted_at, actor_kind, actor, role_name, action, subject_type, subject, outcome)
       select now() - n * interval '1 minute', 'role', 'actor' || n % 1000, 'r', 'run.cancel', 'run', n::text, 'changed'
       from generate_series(1, 50000) as n`,
    );
    await own.query("analyze queue.audit");
    const explain = await planner(own);
    for (const [condition, index] of [
      ["", "audit_pkey"],
      ["actor => 'actor7'", "audit_by_actor"],
      ["subject_type => 'run', subject => '77'", "audit_by_subject"],
      ["acted_before => now() - interval '20 days'", "audit_pkey"],
    ] as const) {
      const { indexes, scanned, buffers } = await explain(
        `select * from queue.audit_list(${condition})`,
      );
      expect([condition, indexes, scanned]).toEqual([condition, [index], []]);
      expect(buffers).toBeLessThan(300);
    }
  });
});

it("audit_sweep deletes what is past the retention, in batches, and never the last week", async () => {
  const own = await createDatabase();
  await own.query("select queue.create_queue('kept')");
  await own.query(
    `insert into queue.audit (acted_at, actor_kind, actor, role_name, action, subject_type, subject, outcome)
       select now() - n * interval '1 day', 'role', 'r', 'r', 'run.cancel', 'run', n::text, 'changed'
       from generate_series(1, 20) as n`,
  );
  const sweep = async (days: number, most: number): Promise<unknown> =>
    only(await own.query("select queue.audit_sweep($1, $2) as swept", [days, most]))["swept"];
  expect(await sweep(10, 4)).toBe(4);
  expect(await sweep(10, 100)).toBe(7);
  expect(await sweep(10, 100)).toBe(0);
  await expect(sweep(6, 100)).rejects.toMatchObject({ code: "OX004" });
  await expect(sweep(10, 0)).rejects.toMatchObject({ code: "OX004" });
  const left = await own.query("select subject from queue.audit_list()");
  expect(left.map(({ subject }) => subject)).toEqual([
    "kept",
    ...Array.from({ length: 9 }, (_, index) => String(index + 1)),
  ]);
});
