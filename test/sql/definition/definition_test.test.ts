import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  codeOf,
  createDefinition,
  documentOf,
  newDefinitionName,
  publishDefinition,
  publishedDefinition,
  saveDraft,
} from "../../helpers/definitions.ts";
import { only } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

interface Started {
  readonly run_id: string;
  readonly version: number;
  readonly hash: string;
}

const test = async (
  name: string,
  given: { document?: unknown; input?: unknown; pins?: unknown; options?: unknown } = {},
  on: { query: typeof database.query } = database,
): Promise<Started> => {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  return only(
    await on.query<Started & Record<string, unknown>>(
      "select run_id, version, hash from queue.definition_test($1, $2, $3, $4, $5)",
      [name, json(given.document), json(given.input), json(given.pins), json(given.options)],
    ),
  );
};

const receive = (pool = "default") =>
  database.query<{ run_id: string; name: string; version: number }>(
    `select run_id, name, version from queue.workflow_receive(array['@${pool}'], '{"@${pool}": [1]}', 100)`,
  );

const violations = () => database.query("select * from queue.check_invariants()");

describe("definition_test", () => {
  it("starts a run of the draft, which workers of its pool receive with its options", async () => {
    const name = newDefinitionName();
    await createDefinition(database, { ...documentOf(name), settings: { pool: "tests" } });
    const { run_id, version, hash } = await test(name, {
      input: { n: 1 },
      pins: { done: { output: 2 } },
      options: { until: "done" },
    });
    expect(version).toBeGreaterThanOrEqual(1_000_000_000);
    expect(await receive("tests")).toEqual([{ run_id, name, version }]);
    const documents = await database.query(
      "select name, version, state, hash, document, test from queue.definition_documents(array[$1], array[$2::integer])",
      [name, version],
    );
    expect(documents).toMatchObject([
      {
        name,
        version,
        state: "test",
        hash,
        document: documentOf(name),
        test: { pins: { done: { output: 2 } }, until: "done", effects: "mock" },
      },
    ]);
    expect(await violations()).toEqual([]);
  });

  it("leaves its runs out of lists, counts, metrics and changes", async () => {
    const own = await createDatabase();
    const name = await publishedDefinition(own);
    const real = only(
      await own.query<{ run_id: string }>("select run_id from queue.definition_start($1)", [name]),
    ).run_id;
    const { run_id: tested } = await test(name, {}, own);
    const list = async (filter: object) =>
      (
        await own.query<{ run_id: string }>("select run_id from queue.workflow_list($1::jsonb)", [
          JSON.stringify(filter),
        ])
      ).map(({ run_id: id }) => id);
    expect(await list({})).toEqual([real]);
    expect(await list({ name })).toEqual([real]);
    expect(await list({ name, test: true })).toEqual([tested]);
    const counts = async () => [
      await own.query("select queue.workflow_count()::int as n"),
      await own.query(
        "select (running + completed + cancelled)::int as n from queue.workflow_tally()",
      ),
    ];
    expect(await counts()).toEqual([[{ n: 1 }], [{ n: 1 }]]);
    await own.query("select queue.workflow_cancel(run_id) from queue.workflow_run");
    expect(await counts()).toEqual([[{ n: 1 }], [{ n: 1 }]]);
    expect(await list({ name })).toEqual([real]);
    const [changes] = await own.query<{ ids: string[] }>(
      "select jsonb_path_query_array(queue.workflow_changes($1, 0), '$.changes[*].run_id') as ids",
      [name],
    );
    expect(new Set(changes?.ids.map(String))).toEqual(new Set([real]));
  });

  it("takes no part in flow control, nor in debounce", async () => {
    const name = await publishedDefinition(database, {
      ...documentOf(newDefinitionName()),
      settings: { pool: "busy" },
    });
    await database.query("select queue.workflow_set_flow_control($1, $2, 1)", [
      name,
      JSON.stringify({ concurrency: 1, key: "k", debounce: { seconds: 60 } }),
    ]);
    await database.query("select queue.definition_start($1, $2)", [
      name,
      JSON.stringify({ k: "1" }),
    ]);
    const tests = [
      await test(name, { input: { k: "1" } }),
      await test(name, { input: { k: "1" } }),
    ];
    expect((await receive("busy")).map(({ run_id: id }) => id).toSorted()).toEqual(
      tests.map(({ run_id: id }) => id).toSorted(),
    );
    expect(await violations()).toEqual([]);
  });

  it("is left alone by flow control that comes after its start", async () => {
    const name = await publishedDefinition(database, {
      ...documentOf(newDefinitionName()),
      settings: { pool: "later" },
    });
    const { run_id: tested } = await test(name);
    const { run_id: real } = only(
      await database.query<{ run_id: string }>("select run_id from queue.definition_start($1)", [
        name,
      ]),
    );
    await database.query("select queue.workflow_set_flow_control($1, $2, 1)", [
      name,
      JSON.stringify({ concurrency: 1 }),
    ]);
    expect(new Set((await receive("later")).map(({ run_id: id }) => id))).toEqual(
      new Set([tested, real]),
    );
    expect(await violations()).toEqual([]);
  });

  it("can't be started again by its version", async () => {
    const name = await publishedDefinition(database);
    const { version } = await test(name);
    await expect(
      database.query("select queue.workflow_start($1, version => $2)", [name, version]),
    ).rejects.toMatchObject({ code: "OX012" });
  });

  it("is deleted a day after its end, with its row", async () => {
    const own = await createDatabase();
    const name = await publishedDefinition(own);
    const { run_id: runId } = await test(name, {}, own);
    await own.query("select queue.workflow_cancel($1)", [runId]);
    expect(
      await own.query(
        "select expires_at - completed_at = interval '1 day' as in_a_day from queue.workflow_run where run_id = $1",
        [runId],
      ),
    ).toEqual([{ in_a_day: true }]);
    await own.query("update queue.workflow_run set expires_at = now()");
    await own.query("select queue.workflow_sweep()");
    expect(await own.query("select from queue.definition_test_run")).toEqual([]);
  });

  it.each([
    ["effects that don't exist", {}, { effects: "some" }],
    ["until and only", {}, { until: "done", only: "done" }],
    ["an option that doesn't exist", {}, { from: "done" }],
    ["until a node that doesn't exist", {}, { until: "gone" }],
    ["a pin of a node that doesn't exist", { gone: { output: 1 } }, {}],
    ["a pin without a meaning", { done: {} }, {}],
    ["a pin with a handle that is no text", { done: { handle: 1 } }, {}],
  ])("refuses %s", async (_what, pins, options) => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    await expect(test(name, { pins, options })).rejects.toMatchObject({ code: "OX004" });
  });

  it("refuses a document that can't run, another name, and a definition that doesn't exist", async () => {
    const name = newDefinitionName();
    await expect(test(name)).rejects.toMatchObject({ code: "OX012" });
    await createDefinition(database, documentOf(name));
    await expect(
      test(name, { document: { ...documentOf(name), nodes: {} } }),
    ).rejects.toMatchObject({
      code: "OX015",
    });
    await expect(test(name, { document: documentOf("other") })).rejects.toMatchObject({
      code: "OX015",
    });
  });

  it("is for authors, and with effects for publishers", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    const session = await openSession(database);
    const person = `tester_${name.replaceAll("-", "_")}`;
    await database.query(`create role ${person} in role oxbow_author`);
    onTestFinished(async () => {
      await session.query("reset session authorization");
      await database.query(`drop role ${person}`);
    });
    await session.query(`set session authorization ${person}`);
    await test(name, {}, session);
    await expect(test(name, { options: { effects: "real" } }, session)).rejects.toMatchObject({
      code: "42501",
    });
  });
});

describe("effects of a protected definition", () => {
  const real = (name: string, actor: string, document?: unknown): Promise<unknown> =>
    codeOf(
      database.query(
        `select queue.definition_test($1, $2, options => '{"effects": "real"}', actor => $3)`,
        [name, document === undefined ? null : JSON.stringify(document), actor],
      ),
    );
  const protectedBy = async (author: string): Promise<string> => {
    const name = newDefinitionName();
    await database.query(
      "select queue.definition_create($1, $2, is_protected => true, actor => $3)",
      [name, JSON.stringify(documentOf(name)), author],
    );
    return name;
  };

  it("of a draft are for others than its authors", async () => {
    const name = await protectedBy("anna");
    expect(await real(name, "anna")).toBe("42501");
    expect(await real(name, "ada")).toBe(null);
    await saveDraft(database, documentOf(name, 2), 1, "bob");
    for (const author of ["anna", "bob", "ANNA"]) expect(await real(name, author)).toBe("42501");
    expect(await real(name, "ada")).toBe(null);
  });

  it("of the published document are for all who may publish, also of an author", async () => {
    const name = await protectedBy("anna");
    await publishDefinition(database, name, 1, { actor: "ada" });
    expect(await real(name, "anna")).toBe(null);
    await saveDraft(database, documentOf(name, 2), 1, "anna");
    expect(await real(name, "anna")).toBe("42501");
    expect(await real(name, "anna", documentOf(name))).toBe(null);
  });

  it("of a document that is not saved are for no definition", async () => {
    const name = await protectedBy("anna");
    expect(await real(name, "ada", documentOf(name, "unsaved"))).toBe("42501");
    await database.query("select queue.definition_archive($1)", [name]);
    expect(await real(name, "anna")).toBe("42501");
  });

  it("are mocked for its authors", async () => {
    const name = await protectedBy("anna");
    await database.query("select queue.definition_test($1, actor => 'anna')", [name]);
  });
});

describe("definition_delete_test", () => {
  it("ends a run in progress and deletes all of it, but no other run", async () => {
    const own = await createDatabase();
    const name = await publishedDefinition(own);
    const { run_id: runId } = await test(name, {}, own);
    const real = only(
      await own.query<{ run_id: string }>("select run_id from queue.definition_start($1)", [name]),
    ).run_id;
    const remove = async (id: string, of = name) =>
      only(
        await own.query<{ deleted: boolean }>(
          "select queue.definition_delete_test($1, $2) as deleted",
          [of, id],
        ),
      ).deleted;
    expect([await remove(real), await remove(runId, "another"), await remove(runId)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await remove(runId)).toBe(false);
    expect(
      await own.query(
        "select action, detail from queue.audit_list(subject_type => 'definition') where action like '%test'",
      ),
    ).toMatchObject([
      { action: "definition.delete-test", detail: { run: Number(runId) } },
      { action: "definition.test", detail: { run: Number(runId), effects: "mock" } },
    ]);
    expect(await own.query("select run_id from queue.workflow_run")).toEqual([{ run_id: real }]);
    expect(await own.query("select from queue.definition_test_run")).toEqual([]);
    expect(await own.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("happens to all tests when their definition is deleted", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    await publishDefinition(database, name, 1);
    const { run_id: runId } = await test(name);
    expect(await database.query("select queue.definition_delete($1) as gone", [name])).toEqual([
      { gone: true },
    ]);
    expect(
      await database.query("select from queue.workflow_run where run_id = $1", [runId]),
    ).toEqual([]);
  });
});
