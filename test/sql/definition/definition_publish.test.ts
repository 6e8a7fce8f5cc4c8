import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  codeOf,
  createDefinition,
  definition,
  documentOf,
  newDefinitionName,
  publishDefinition,
  publishedDefinition,
  saveDraft,
} from "../../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../../helpers/eventually.ts";
import { only } from "../../helpers/queues.ts";
import { Runs } from "../../helpers/runs.ts";
import { openSession, type Session } from "../../helpers/session.ts";

const database = await createDatabase();

const versionsOf = (name: string) =>
  database.query("select version, state, published_by, note from queue.definition_versions($1)", [
    name,
  ]);

const start = async (name: string, version: number | null = null) =>
  only(
    await database.query<{ run_id: string }>(
      "select run_id from queue.definition_start($1, '{}', $2)",
      [name, version],
    ),
  ).run_id;

/** Creates a protected definition by an author, and returns its name. */
async function protectedDefinition(author: string): Promise<string> {
  const name = newDefinitionName();
  await database.query(
    "select queue.definition_create($1, $2, is_protected => true, actor => $3)",
    [name, JSON.stringify(documentOf(name)), author],
  );
  return name;
}

/** A session of a new login that is a member of these roles. */
async function logInAs(...roles: readonly string[]): Promise<Session> {
  const person = `person_${randomBytes(6).toString("hex")}`;
  await database.query(`create role ${person} in role ${roles.join(", ")}`);
  onTestFinished(async () => {
    await database.query(`drop role ${person}`);
  });
  const session = await openSession(database);
  await session.query(`set session authorization ${person}`);
  return session;
}

const versionOf = async (runId: string) =>
  only(await database.query("select version from queue.workflow_get($1)", [runId]))["version"];

describe("definition_publish", () => {
  it("makes a version that starts take, and archives the one before", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name, 1), "anna");
    expect(await publishDefinition(database, name, 1, { actor: "ada" })).toEqual({
      version: 1,
      created: true,
    });
    const first = await start(name);
    await saveDraft(database, documentOf(name, 2), 1);
    expect(await definition(database, name)).toMatchObject({ has_changes: true });
    await publishDefinition(database, name, 2, { actor: "ada" });
    const second = await start(name);
    expect([await versionOf(first), await versionOf(second)]).toEqual([1, 2]);
    expect(await versionsOf(name)).toMatchObject([
      { version: 2, state: "published", published_by: "ada" },
      { version: 1, state: "archived", published_by: "ada" },
    ]);
    expect(await definition(database, name)).toMatchObject({
      state: "published",
      published_version: 2,
      has_changes: false,
    });
    expect(await versionOf(await start(name, 1))).toBe(1);
  });

  it("is what starts by name take as well", async () => {
    const name = await publishedDefinition(database);
    await saveDraft(database, documentOf(name, 2), 1);
    await publishDefinition(database, name, 2, {
      compiled: { defaults: { retentionDays: 3, deadlineSeconds: 60 } },
    });
    const rows = await database.query<{ run_id: string }>(
      "select run_id from queue.workflow_start($1)",
      [name],
    );
    expect(
      only(
        await database.query(
          "select workflow_version as version, retention_days, deadline - started_at = interval '1 minute' as in_a_minute from queue.workflow_run where run_id = $1",
          [only(rows).run_id],
        ),
      ),
    ).toEqual({ version: 2, retention_days: 3, in_a_minute: true });
  });

  it("makes no version of what is published, so a repeated call does nothing", async () => {
    const name = await publishedDefinition(database);
    expect(await publishDefinition(database, name, 1)).toEqual({ version: 1, created: false });
    expect(await versionsOf(name)).toHaveLength(1);
  });

  it("refuses a draft that its caller has not seen", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    await saveDraft(database, documentOf(name, 2), 1, "ada");
    await expect(publishDefinition(database, name, 1)).rejects.toMatchObject({
      code: "OX013",
      message: expect.stringContaining('"ada" saved it') as string,
    });
    expect(await versionsOf(name)).toEqual([]);
  });

  it("publishes what was saved before it, when both come at once", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    const [author, publisher] = [await openSession(database), await openSession(database)];
    await author.query("begin");
    await saveDraft(author, documentOf(name, 2), 1);
    const published = publishDefinition(publisher, name, 1);
    const refused = codeOf(published);
    await publisher.isBlocked(author);
    await author.query("commit");
    expect(await refused).toBe("OX013");
  });

  it("makes one version when two publish at once", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    const [one, other] = [await openSession(database), await openSession(database)];
    await one.query("begin");
    expect(await publishDefinition(one, name, 1)).toEqual({ version: 1, created: true });
    const second = publishDefinition(other, name, 1);
    await other.isBlocked(one);
    await one.query("commit");
    expect(await second).toEqual({ version: 1, created: false });
  });

  it.each([
    ["no nodes", { nodes: {} }, "TOO_FEW", "/nodes"],
    ["another format", { format: 2 }, "WRONG_VALUE", "/format"],
    ["an id in capitals", { nodes: { Done: { type: "end@1" } } }, "INVALID_NAME", "/nodes/Done"],
    ["a node without a type", { nodes: { done: {} } }, "MISSING_MEMBER", "/nodes/done"],
    ["edges that are no array", { edges: {} }, "WRONG_TYPE", "/edges"],
    [
      "an edge from nowhere",
      { edges: [{ from: "start", to: "done" }] },
      "UNKNOWN_NODE",
      "/edges/0/from",
    ],
    ["an edge without an end", { edges: [{ from: "done" }] }, "UNKNOWN_NODE", "/edges/0/to"],
    ["an edge to itself", { edges: [{ from: "done", to: "done" }] }, "CYCLE", "/edges"],
  ])("refuses a document with %s", async (_what, change, code, pointer) => {
    const name = newDefinitionName();
    await createDefinition(database, { ...documentOf(name), ...change } as never);
    const refused = publishDefinition(database, name, 1);
    await expect(refused).rejects.toMatchObject({ code: "OX015" });
    const detail = await refused.catch((error: { detail: string }) => error.detail);
    expect(JSON.parse(detail as string)).toMatchObject({ problems: [{ code, pointer }] });
  });

  it("finds a cycle behind a thousand nodes, but not in a thousand levels", async () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => `n${at}`);
    const nodes = Object.fromEntries(ids.map((id) => [id, { type: "set@1" }]));
    const chain = ids.slice(1).map((to, at) => ({ from: `n${at}`, to }));
    const straight = { ...documentOf(newDefinitionName()), nodes, edges: chain };
    await publishedDefinition(database, straight);
    const circular = {
      ...documentOf(newDefinitionName()),
      nodes,
      edges: [...chain, { from: "n999", to: "n998" }],
    };
    await expect(publishedDefinition(database, circular)).rejects.toMatchObject({ code: "OX015" });
  });

  it("of a protected definition is for others than the author of the draft", async () => {
    const name = await protectedDefinition("anna");
    await expect(publishDefinition(database, name, 1, { actor: "anna" })).rejects.toMatchObject({
      code: "42501",
    });
    expect(await publishDefinition(database, name, 1, { actor: "ada" })).toMatchObject({
      version: 1,
    });
  });

  it("of a protected definition is refused to each author since the last version", async () => {
    const name = await protectedDefinition("anna");
    await saveDraft(database, documentOf(name, 2), 1, "bob");
    await saveDraft(database, documentOf(name, 3), 2, "anna");
    await saveDraft(database, documentOf(name, 4), 3, "carl");
    for (const actor of ["anna", "bob", "carl", "ANNA"]) {
      await expect(publishDefinition(database, name, 4, { actor })).rejects.toMatchObject({
        code: "42501",
        message: `definition "${name}" is protected, and "${actor}" has saved its draft`,
      });
    }
    await publishDefinition(database, name, 4, { actor: "ada" });
    await database.query("select queue.definition_archive($1)", [name]);
    await expect(publishDefinition(database, name, 4, { actor: "carl" })).rejects.toMatchObject({
      code: "42501",
    });
    await saveDraft(database, documentOf(name, 5), 4, "ada");
    expect(await publishDefinition(database, name, 5, { actor: "bob" })).toMatchObject({
      version: 2,
    });
  });

  it("of a protected definition is for another login, whatever SET ROLE names", async () => {
    const name = await protectedDefinition("anna");
    const person = await logInAs("oxbow_author", "oxbow_publisher");
    await person.query("set role oxbow_author");
    await saveDraft(person, documentOf(name, 2), 1);
    await person.query("set role oxbow_publisher");
    await expect(publishDefinition(person, name, 2)).rejects.toMatchObject({ code: "42501" });
    const other = await logInAs("oxbow_publisher");
    await other.query("set role oxbow_publisher");
    expect(await publishDefinition(other, name, 2)).toMatchObject({ version: 1 });
  });
});

it("definition_start refuses what is not published, paused or archived", async () => {
  const name = newDefinitionName();
  await createDefinition(database, documentOf(name));
  const change = (call: string) =>
    database.query<{ changed: boolean }>(`select queue.${call} as changed`, [name]);
  const refused = (message: string) =>
    expect(start(name)).rejects.toMatchObject({
      code: "OX017",
      message: `definition "${name}" ${message}`,
    });
  await refused("was never published");
  await publishDefinition(database, name, 1);
  await start(name);
  expect(await change("definition_pause($1, 'on fire')")).toEqual([{ changed: true }]);
  expect(await change("definition_pause($1)")).toEqual([{ changed: false }]);
  await refused("is paused: on fire");
  expect(await change("definition_resume($1)")).toEqual([{ changed: true }]);
  await start(name);
  expect(await change("definition_archive($1)")).toEqual([{ changed: true }]);
  expect(await change("definition_archive($1)")).toEqual([{ changed: false }]);
  await refused("is archived");
  expect(await versionsOf(name)).toMatchObject([{ version: 1, state: "archived" }]);
  expect(await publishDefinition(database, name, 1)).toEqual({ version: 2, created: true });
  await start(name);
  await expect(start(name, 9)).rejects.toMatchObject({ code: "OX012" });
  await expect(start("missing")).rejects.toMatchObject({ code: "OX012" });
});

describe("definition_delete", () => {
  it("of a protected definition is for administrators, and its audit states that it was protected", async () => {
    const name = await protectedDefinition("anna");
    const remove = async (role: string) => {
      const session = await logInAs(role);
      return session.query("select queue.definition_delete($1) as deleted", [name]);
    };
    await expect(remove("oxbow_publisher")).rejects.toMatchObject({
      code: "42501",
      message: expect.stringContaining(`definition "${name}" is protected`) as string,
    });
    expect(await remove("oxbow_admin")).toEqual([{ deleted: true }]);
    await createDefinition(database, documentOf(name));
    expect(await remove("oxbow_publisher")).toEqual([{ deleted: true }]);
    expect(
      await database.query(
        "select action, detail from queue.audit_list(subject_type => 'definition', subject => $1)",
        [name],
      ),
    ).toEqual([
      { action: "definition.delete", detail: { isProtected: false } },
      { action: "definition.create", detail: { isProtected: false } },
      { action: "definition.delete", detail: { isProtected: true } },
      { action: "definition.create", detail: { isProtected: true } },
    ]);
  });

  it("is refused while there are runs or something starts the definition", async () => {
    const [name, caller] = [newDefinitionName(), newDefinitionName()];
    await publishedDefinition(database, documentOf(name));
    await createDefinition(database, documentOf(caller));
    await publishDefinition(database, caller, 1, {
      compiled: { references: { workflows: [name] } },
    });
    const remove = () => database.query("select queue.definition_delete($1) as deleted", [name]);
    const refused = (message: string) =>
      expect(remove()).rejects.toMatchObject({
        code: "OX014",
        message: `definition "${name}" ${message}`,
      });
    await refused(`is started by definition "${caller}"`);
    await database.query("select queue.definition_archive($1)", [caller]);
    await database.query("select queue.schedule_create('of-it', $1, '@daily')", [name]);
    await refused('is started by schedule "of-it"');
    await database.query("select queue.schedule_delete('of-it')");
    const runId = await start(name);
    await refused("has runs");
    await database.query("select queue.workflow_cancel($1)", [runId]);
    await refused("has runs");
    await database.query("delete from queue.workflow_run where run_id = $1", [runId]);
    expect(await remove()).toEqual([{ deleted: true }]);
    expect(await remove()).toEqual([{ deleted: false }]);
    expect(await database.query("select from queue.definition_get($1)", [name])).toEqual([]);
    await publishedDefinition(database, documentOf(name));
  });

  const IN_TRANSACTION = "is used by a transaction that is still open";

  it.each([
    ["definition_start()", "select run_id from queue.definition_start($1)", "OX014"],
    ["its workflow", "select run_id from queue.workflow_start($1)", "OX014"],
    ["definition_test()", "select run_id from queue.definition_test($1)", null],
  ])("is refused until a start by %s is committed or rolled back", async (_by, sql, then) => {
    const name = await publishedDefinition(database);
    const starting = await openSession(database);
    const remove = () => database.query("select queue.definition_delete($1) as deleted", [name]);
    for (const end of ["rollback", "commit"]) {
      await starting.query("begin");
      await starting.query(sql, [name]);
      await expect(remove()).rejects.toMatchObject({
        code: "OX014",
        message: `definition "${name}" ${IN_TRANSACTION}`,
      });
      // Neither waits for the other.
      await database.query("select queue.definition_pause($1), queue.definition_resume($1)", [
        name,
      ]);
      await starting.query(end);
    }
    expect(await codeOf(remove())).toBe(then);
  });

  it("is refused while a commit starts it as a child", async () => {
    const name = await publishedDefinition(database);
    const parent = new Runs(database, "parent-of-deleted");
    const runId = await parent.start();
    const { receipt } = await parent.receiveOne();
    const committing = await openSession(database);
    await committing.query("begin");
    await committing.query(
      `select outcome from queue.workflow_commit(array['parent-of-deleted'], array[$1::bigint], array[$2::bigint],
         array['suspend'], array['{"waits": [{"kind": "invoke", "step": "child"}], "retries": [], "journaled": 0}'::jsonb],
         null, effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array['child'],
         effect_targets => array[$3], effect_values => array['1']::jsonb[], effect_versions => array[null]::integer[])`,
      [runId, receipt, name],
    );
    await expect(
      database.query("select queue.definition_delete($1)", [name]),
    ).rejects.toMatchObject({ code: "OX014", message: `definition "${name}" ${IN_TRANSACTION}` });
    await committing.query("commit");
  });

  it("lets starts wait for its transaction, which then find no definition", async () => {
    const name = await publishedDefinition(database);
    const [deleting, starting] = [await openSession(database), await openSession(database)];
    await deleting.query("begin");
    await deleting.query("select queue.definition_delete($1)", [name]);
    const started = codeOf(starting.query("select queue.definition_start($1)", [name]));
    await starting.isBlocked(deleting);
    await deleting.query("commit");
    expect(await started).toBe("OX012");
  });
});

it("definition_list pages through definitions by folder, state and text", async () => {
  const own = await createDatabase();
  for (const [name, folder, title] of [
    ["a", "one", "Alpha"],
    ["b", "one", "Beta"],
    ["c", "two", "Alphabet"],
  ] as const) {
    await own.query("select queue.definition_create($1, $2, $3)", [
      name,
      JSON.stringify({ ...documentOf(name), title }),
      folder,
    ]);
  }
  await publishDefinition(own, "b", 1);
  const list = async (given: string) =>
    (await own.query<{ name: string }>(`select name from queue.definition_list(${given})`)).map(
      ({ name }) => name,
    );
  expect(await list("")).toEqual(["a", "b", "c"]);
  expect(await list("name => 'a'")).toEqual(["a"]);
  expect(await list("name => 'alpha'")).toEqual([]);
  expect(await list("name => 'c', folder => 'one'")).toEqual([]);
  expect(await list("folder => 'one'")).toEqual(["a", "b"]);
  expect(await list("state => 'published'")).toEqual(["b"]);
  expect(await list("search => 'ALPHA'")).toEqual(["a", "c"]);
  expect(await list("max_definitions => 2")).toEqual(["a", "b"]);
  expect(await list("after => 'b'")).toEqual(["c"]);
  await expect(list("state => 'gone'")).rejects.toMatchObject({ code: "OX004" });
  await expect(list("max_definitions => 0")).rejects.toMatchObject({ code: "OX004" });
});

it("definition_documents returns the versions that are asked for, in that order", async () => {
  const [one, other] = [newDefinitionName(), newDefinitionName()];
  await publishedDefinition(database, documentOf(one, 1));
  await saveDraft(database, documentOf(one, 2), 1);
  await publishDefinition(database, one, 2);
  await publishedDefinition(database, documentOf(other, "other"));
  expect(
    await database.query(
      "select name, version, state, document from queue.definition_documents($1, $2)",
      [
        [other, one, one, one, "missing"],
        [null, null, 1, 9, 1],
      ],
    ),
  ).toEqual([
    { name: other, version: 1, state: "published", document: documentOf(other, "other") },
    { name: one, version: 2, state: "published", document: documentOf(one, 2) },
    { name: one, version: 1, state: "archived", document: documentOf(one, 1) },
  ]);
});

it("definition_configure changes what it is given", async () => {
  const name = await publishedDefinition(database);
  const configure = (given: string) =>
    database.query(`select queue.definition_configure($1, ${given}) as changed`, [name]);
  expect(await configure(`folder => 'a', scope => '{"org": 1}'`)).toEqual([{ changed: true }]);
  expect(await configure(`folder => 'a', scope => '{"org": 1}'`)).toEqual([{ changed: false }]);
  expect(await configure("is_protected => true")).toEqual([{ changed: true }]);
  expect(await definition(database, name)).toMatchObject({
    folder: "a",
    scope: { org: 1 },
    is_protected: true,
  });
  expect(await configure("folder => '', scope => 'null'")).toEqual([{ changed: true }]);
  expect(await definition(database, name)).toMatchObject({
    folder: null,
    scope: null,
    is_protected: true,
  });
});

it("definition_epoch rises with each change of what workers serve, and with no other", async () => {
  const own = await createDatabase();
  const epoch = async () =>
    Number(only(await own.query("select queue.definition_epoch() as epoch"))["epoch"]);
  let last = await epoch();
  const rises = async (call: () => Promise<unknown>, by: number) => {
    await call();
    const now = await epoch();
    expect(now - last).toBe(by);
    last = now;
  };
  await rises(() => createDefinition(own, documentOf("d")), 0);
  await rises(() => saveDraft(own, documentOf("d", 2), 1), 0);
  await rises(() => publishDefinition(own, "d", 2), 1);
  await rises(() => publishDefinition(own, "d", 2), 0);
  await rises(() => own.query("select queue.definition_pause('d')"), 1);
  await rises(() => own.query("select queue.definition_resume('d')"), 1);
  await rises(() => own.query("select queue.definition_archive('d')"), 1);
  await rises(() => own.query("select queue.definition_delete('d')"), 1);
});

describe("a transaction that publishes", () => {
  const pause = (on: Session, name: string) =>
    on.query("select queue.definition_pause($1) as paused", [name]);

  it.each([
    ["publishes one after another", (on: Session, name: string) => publishDefinition(on, name, 1)],
    [
      "archives one after another",
      (on: Session, name: string) => on.query("select queue.definition_archive($1)", [name]),
    ],
    [
      "configures one after another",
      (on: Session, name: string) =>
        on.query("select queue.definition_configure($1, folder => 'f')", [name]),
    ],
  ])("%s, while people pause them, without a deadlock", async (_title, change) => {
    const [first, second] = [newDefinitionName(), newDefinitionName()];
    await createDefinition(database, documentOf(first));
    await createDefinition(database, documentOf(second));
    const [changing, pausing] = [await openSession(database), await openSession(database)];
    await changing.query("begin");
    await change(changing, first);
    const paused = pause(pausing, second);
    await pausing.isBlocked(changing);
    await change(changing, second);
    await changing.query("commit");
    expect(await paused).toEqual([{ paused: true }]);
  });

  it("applies definitions in any order of pauses without a deadlock", async () => {
    const names = Array.from({ length: 12 }, () => newDefinitionName());
    for (const name of names) await publishedDefinition(database, documentOf(name));
    const [applying, pausing] = [await openSession(database), await openSession(database)];
    const inRounds = async (change: (round: number) => Promise<void>) => {
      for (let round = 2; round < 8; round += 1) await change(round);
    };
    const applied = inRounds(async (round) => {
      const documents = names.map((name) => JSON.stringify(documentOf(name, round)));
      await applying.query(
        "select from queue.definition_apply($1::jsonb[], publish => true, overwrite => true)",
        [documents],
      );
    });
    const paused = inRounds(async () => {
      for (const name of names.toSorted().toReversed()) {
        await pause(pausing, name);
        await pausing.query("select queue.definition_resume($1)", [name]);
      }
    });
    expect(await Promise.all([codeOf(applied), codeOf(paused)])).toEqual([null, null]);
  });

  it("holds up no run that fails, and whose definition pauses for that", async () => {
    const [name, other] = [newDefinitionName(), newDefinitionName()];
    const settings = { pauseAfterFailures: 1 };
    await publishedDefinition(database, { ...documentOf(name), settings });
    await createDefinition(database, documentOf(other));
    const publishing = await openSession(database);
    await publishing.query("begin");
    await publishDefinition(publishing, other, 1);
    const runId = await start(name);
    await database.query(
      "select queue._end_runs(array[$1::bigint], array['failed'], null, array['{}']::jsonb[], null, now())",
      [runId],
    );
    expect(await definition(database, name)).toMatchObject({ state: "paused" });
    await publishing.query("commit");
  });
});

describe("the pool of a definition", () => {
  const poolOf = async (on: typeof database, name: string) =>
    only(
      await on.query(
        "select p.name from queue.queue as q join queue.queue as p on p.queue_id = q.pool_id where q.name = '__wf_' || $1",
        [name],
      ),
    )["name"];

  it("is that of its document, or the one that it is configured to have", async () => {
    const name = newDefinitionName();
    const document = { ...documentOf(name), settings: { pool: "drawn" } };
    await publishedDefinition(database, document);
    expect(await poolOf(database, name)).toBe("__wf_@drawn");
    await database.query("select queue.definition_configure($1, pool => 'set')", [name]);
    expect(await poolOf(database, name)).toBe("__wf_@set");
    expect(await definition(database, name)).toMatchObject({ pool: "set" });
    await saveDraft(database, { ...document, title: "Again" }, 1);
    await publishDefinition(database, name, 2);
    expect(await poolOf(database, name)).toBe("__wf_@set");
    await database.query("select queue.definition_configure($1, pool => '')", [name]);
    expect(await poolOf(database, name)).toBe("__wf_@drawn");
  });

  it("is the last one that was configured, by two people at the same time too", async () => {
    const name = await publishedDefinition(database, {
      ...documentOf(newDefinitionName()),
      settings: { pool: "a" },
    });
    const [one, other] = [await openSession(database), await openSession(database)];
    const configure = (session: Session, pool: string) =>
      session.query("select queue.definition_configure($1, pool => $2)", [name, pool]);
    await one.query("begin");
    await configure(one, "b");
    const last = configure(other, "a");
    await other.isBlocked(one);
    await one.query("commit");
    await last;
    expect(await definition(database, name)).toMatchObject({ pool: "a" });
    expect(await poolOf(database, name)).toBe("__wf_@a");
  });

  it("may be configured before the first version", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    await database.query("select queue.definition_configure($1, pool => 'early')", [name]);
    await publishDefinition(database, name, 1);
    expect(await poolOf(database, name)).toBe("__wf_@early");
  });

  it("has a name as pools have", async () => {
    const name = newDefinitionName();
    await createDefinition(database, { ...documentOf(name), settings: { pool: "No Pool" } });
    await expect(publishDefinition(database, name, 1)).rejects.toMatchObject({ code: "OX015" });
    await expect(
      database.query("select queue.definition_configure($1, pool => 'No Pool')", [name]),
    ).rejects.toMatchObject({ code: "OX003" });
  });
});

describe("a start by name", () => {
  const startByName = (name: string, version: number | null = null) =>
    database.query<{ run_id: string }>(
      "select run_id from queue.workflow_start($1, version => $2)",
      [name, version],
    );

  it("is refused of a definition that was never published, or is archived", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    await expect(startByName(name)).rejects.toMatchObject({
      code: "OX017",
      message: `definition "${name}" was never published`,
    });
    await expect(startByName(name, 1)).rejects.toMatchObject({ code: "OX017" });
    await publishDefinition(database, name, 1);
    await startByName(name);
    await expect(startByName(name, 2)).rejects.toMatchObject({ code: "OX012" });
    await database.query("select queue.definition_archive($1)", [name]);
    await expect(startByName(name)).rejects.toMatchObject({
      code: "OX017",
      message: `definition "${name}" is archived`,
    });
  });

  it("is refused where a workflow in code had the name before", async () => {
    const name = newDefinitionName();
    const [run] = await startByName(name);
    await database.query("select queue.workflow_cancel($1)", [run?.run_id]);
    await database.query("update queue.workflow_run set expires_at = now() where run_id = $1", [
      run?.run_id,
    ]);
    await database.query("select queue.workflow_sweep()");
    await createDefinition(database, documentOf(name));
    await expect(startByName(name)).rejects.toMatchObject({ code: "OX017" });
  });

  it("by a schedule pauses the schedule, and by a topic does nothing", async () => {
    const own = await createDatabase();
    const name = await publishedDefinition(own, documentOf("ticking"));
    await own.query("select queue.schedule_create('every', $1, every_seconds => 1)", [name]);
    await own.query("select queue.subscribe('news', 'workflow', $1)", [name]);
    await own.query("select queue.definition_archive($1)", [name]);
    await own.query("select queue.send_topic('news', '1')");
    expect(await own.query("select from queue.workflow_run")).toEqual([]);
    const [tick] = await eventually(
      () => own.query<{ receipt: string }>("select receipt from queue.schedule_receive(1)"),
      isNotEmpty,
    );
    await own.query("select queue.schedule_tick($1, '{}', null)", [tick?.receipt]);
    expect(await own.query("select pause_reason from queue.schedule_list()")).toEqual([
      { pause_reason: 'definition "ticking" is archived' },
    ]);
  });

  it("as a child fails the step of its parent", async () => {
    const own = await createDatabase();
    const name = await publishedDefinition(own, documentOf("archived-child"));
    await createDefinition(own, documentOf("draft-child"));
    await own.query("select queue.definition_archive($1)", [name]);
    const parent = new Runs(own, "parent");
    for (const child of ["archived-child", "draft-child"]) {
      const runId = await parent.start();
      const delivery = await parent.receiveOne();
      const [committed] = await own.query<{ outcome: string; resolved: unknown }>(
        `select outcome, resolved from queue.workflow_commit(array['parent'], array[$1::bigint], array[$2::bigint],
           array['suspend'], array['{"waits": [{"kind": "invoke", "step": "child"}], "retries": [], "journaled": 0}'::jsonb],
           null, effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array['child'],
           effect_targets => array[$3], effect_values => array['1']::jsonb[], effect_versions => array[null]::integer[])`,
        [runId, delivery.receipt, child],
      );
      expect(committed).toMatchObject({
        outcome: "ok",
        resolved: [{ error: { code: "DEFINITION_INACTIVE" } }],
      });
    }
    expect(await own.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

it("definition_snapshot keeps the document of a test once, until it is swept", async () => {
  const own = await createDatabase();
  const keep = async (document: unknown) =>
    only(
      await own.query<{ hash: string }>("select queue.definition_snapshot($1) as hash", [
        JSON.stringify(document),
      ]),
    ).hash;
  const hash = await keep(documentOf("d"));
  expect(await keep({ ...documentOf("d") })).toBe(hash);
  expect(await keep(documentOf("d", 2))).not.toBe(hash);
  const kept = () => own.query("select queue.definition_snapshot_get($1) as document", [hash]);
  expect(await kept()).toEqual([{ document: documentOf("d") }]);
  await own.query("select queue.workflow_sweep()");
  expect(await kept()).toEqual([{ document: documentOf("d") }]);
  await own.query("update queue.definition_snapshot set expires_at = now()");
  await own.query("select queue.workflow_sweep()");
  expect(await kept()).toEqual([{ document: null }]);
});

it("check_invariants holds definitions to what starts take", async () => {
  const own = await createDatabase();
  await publishedDefinition(own, documentOf("d"));
  expect(await own.query("select * from queue.check_invariants()")).toEqual([]);
  await own.query("select queue.workflow_unregister('d', 1)");
  await own.query("update queue.definition_version set state = 'archived'");
  expect(await own.query("select invariant from queue.check_invariants()")).toEqual([
    { invariant: "a definition publishes one of its versions" },
    { invariant: "starts take the published version" },
  ]);
});
