import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  createDefinition,
  documentOf,
  newDefinitionName,
  publishDefinition,
  publishedDefinition,
  saveDraft,
} from "../../helpers/definitions.ts";
import { only } from "../../helpers/queues.ts";
import { documentNaming, newResourceType, POINTER, referencesTo } from "../../helpers/resources.ts";

const database = await createDatabase();

const assertUnreferenced = async (type: string, id: string): Promise<unknown> =>
  only(await database.query("select queue.assert_unreferenced($1, $2) as drafts", [type, id]))[
    "drafts"
  ];

const setReferences = async (ownerId: string, resources: unknown, title?: string) =>
  only(
    await database.query("select queue.reference_set('policy', $1, $2, $3) as changed", [
      ownerId,
      JSON.stringify(resources),
      title ?? null,
    ]),
  )["changed"];

const inUse = (...owners: readonly unknown[]) => ({
  code: "OX026",
  detail: expect.toSatisfy((detail: string) => {
    expect((JSON.parse(detail) as { owners: unknown[] }).owners).toMatchObject(owners);
    return true;
  }) as string,
});

describe("references of a definition", () => {
  it("are those of its draft, which does not keep a resource", async () => {
    const type = newResourceType();
    const document = documentNaming(type, "01FD7");
    await createDefinition(database, document);
    expect(await referencesTo(database, type, "01FD7")).toEqual([
      {
        owner_type: "definition",
        owner_id: document.name,
        title: "Page",
        version: null,
        state: "draft",
        pointer: POINTER,
        protects: false,
      },
    ]);
    expect(await assertUnreferenced(type, "01FD7")).toBe(1);
    await saveDraft(database, documentOf(document.name), 1);
    expect(await referencesTo(database, type, "01FD7")).toEqual([]);
    expect(await assertUnreferenced(type, "01FD7")).toBe(0);
  });

  it("are those of its published version, which does", async () => {
    const type = newResourceType();
    const document = documentNaming(type, "01FD7");
    await publishedDefinition(database, document);
    const owner = { ownerType: "definition", ownerId: document.name, version: 1, pointer: POINTER };
    await expect(assertUnreferenced(type, "01FD7")).rejects.toMatchObject(inUse(owner));
    await expect(assertUnreferenced(type, "01FD7")).rejects.toThrow(
      `${type} "01FD7" is used by definition "${document.name}"`,
    );
    expect(await assertUnreferenced(type, "another")).toBe(0);
    expect(await assertUnreferenced("Another", "01FD7")).toBe(0);
  });

  it.each([false, true])(
    "stay with an archived version as long as it has runs in progress, in a pool: %s",
    async (isPooled) => {
      const type = newResourceType();
      const document = documentNaming(type, "01FD7");
      const name = await publishedDefinition(database, document);
      if (isPooled) {
        await database.query("select queue._set_workflow_pool($1, $2)", [name, `pool-of-${name}`]);
      }
      const { run_id: runId } = only(
        await database.query("select run_id from queue.definition_start($1, '{}')", [name]),
      );
      await saveDraft(database, documentOf(name), 1);
      await publishDefinition(database, name, 2);
      await expect(assertUnreferenced(type, "01FD7")).rejects.toMatchObject(
        inUse({ ownerId: name, version: 1, state: "archived" }),
      );
      await database.query("select queue.workflow_cancel($1)", [runId]);
      expect(await assertUnreferenced(type, "01FD7")).toBe(0);
    },
  );

  it("are taken from what the checker found, where it was asked", async () => {
    const type = newResourceType();
    const document = documentNaming(type, "in-the-document");
    await createDefinition(database, document);
    const resources = [{ type, id: "compiled", pointer: "/triggers/changed/when" }];
    await publishDefinition(database, document.name, 1, {
      compiled: { references: { resources } },
    });
    expect(await referencesTo(database, type, "compiled")).toMatchObject([
      { version: 1, pointer: "/triggers/changed/when" },
    ]);
    expect(await referencesTo(database, type, "in-the-document")).toMatchObject([
      { state: "draft" },
    ]);
  });

  it("are found in bindings at any depth and in the expressions of triggers, not in literals", async () => {
    const type = newResourceType();
    const name = newDefinitionName();
    const binding = (id: string) => ({ $resource: { type, id } });
    await createDefinition(database, {
      ...documentOf(name, {
        "a/b~c": [1, binding("deep")],
        literal: { $literal: binding("literal") },
        text: `resource('${type}', 'in text')`,
        incomplete: { $resource: { type } },
        wrong: { $resource: 5 },
        long: binding("x".repeat(300)),
      }),
      triggers: {
        changed: {
          on: "incident.updated",
          when: `event.rank >= resource('${type}', "it's").rank && resource("${type}",'b').x`,
        },
      },
    } as never);
    const found = await database.query(
      "select id, pointer from queue.resource_reference where owner_id = $1 order by id",
      [name],
    );
    expect(found).toEqual([
      { id: "b", pointer: "/triggers/changed/when" },
      { id: "deep", pointer: "/nodes/done/params/output/a~1b~0c/1" },
      { id: "it's", pointer: "/triggers/changed/when" },
    ]);
  });

  it("go with the definition", async () => {
    const type = newResourceType();
    const name = await publishedDefinition(database, documentNaming(type, "01FD7"));
    await database.query("select queue.definition_archive($1)", [name]);
    await database.query("select queue.definition_delete($1)", [name]);
    expect(
      await database.query("select from queue.resource_reference where owner_id = $1", [name]),
    ).toEqual([]);
  });

  it("of a large document are found quickly", async () => {
    const type = newResourceType();
    const output = Array.from({ length: 3_000 }, (_, at) => ({
      [`member ${at}`]: { text: "a text of some length, as parameters have it".repeat(4), at },
    }));
    const document = documentOf(newDefinitionName(), [
      ...output,
      { $resource: { type, id: "last" } },
    ]);
    expect(JSON.stringify(document).length).toBeGreaterThan(600_000);
    const begin = performance.now();
    const found = only(
      await database.query("select queue._resources_in($1) as found", [JSON.stringify(document)]),
    );
    // Otherwise a draft of this size would take seconds at each pause in typing.
    expect(performance.now() - begin).toBeLessThan(2_000);
    expect(found["found"]).toEqual([
      { type, id: "last", pointer: "/nodes/done/params/output/3000" },
    ]);
  });
});

describe("reference_set", () => {
  it("records what an object of the application names, until it is set again", async () => {
    const type = newResourceType();
    const owner = `17 of ${type}`;
    const resources = [
      { type, id: "a", pointer: "/when" },
      { type, id: "b" },
      { type, id: "b" },
    ];
    expect(await setReferences(owner, resources, "On call")).toBe(true);
    expect(await setReferences(owner, resources, "On call")).toBe(false);
    expect(await referencesTo(database, type, "a")).toEqual([
      {
        owner_type: "policy",
        owner_id: owner,
        title: "On call",
        version: null,
        state: "current",
        pointer: "/when",
        protects: true,
      },
    ]);
    expect(await referencesTo(database, type, "b")).toMatchObject([{ pointer: "" }]);
    expect(await setReferences(owner, resources, "Renamed")).toBe(true);
    await expect(assertUnreferenced(type, "a")).rejects.toMatchObject(
      inUse({ ownerType: "policy", title: "Renamed" }),
    );
    expect(await setReferences(owner, [])).toBe(true);
    expect(await assertUnreferenced(type, "a")).toBe(0);
    expect(await setReferences(owner, null)).toBe(false);
  });

  it.each([
    ["an object", {}],
    ["a reference without an id", [{ type: "Severity" }]],
    ["an id that is no text", [{ type: "Severity", id: 1 }]],
    ["an empty id", [{ type: "Severity", id: "" }]],
    ["an id that is too long", [{ type: "Severity", id: "x".repeat(257) }]],
    ["a pointer that is no text", [{ type: "Severity", id: "a", pointer: 1 }]],
  ])("refuses %s", async (_, resources) => {
    await expect(setReferences("17", resources)).rejects.toMatchObject({ code: "OX004" });
  });

  it("leaves the references of definitions to their documents", async () => {
    await expect(
      database.query("select queue.reference_set('definition', 'd', '[]')"),
    ).rejects.toMatchObject({ code: "OX004" });
  });
});

describe("resource_register", () => {
  const register = async (name: string, schema: unknown, table: string | null = null) =>
    only(
      await database.query(
        "select queue.resource_register(array[$1], array['A title'], array[$2::jsonb], array[$3], array[$4]) as changed",
        [name, JSON.stringify(schema), table, table === null ? null : "id"],
      ),
    )["changed"];

  it("stores what workers know, and writes only what has changed", async () => {
    const type = newResourceType();
    expect(await register(type, { type: "object" }, "app.severity")).toBe(1);
    expect(await register(type, { type: "object" }, "app.severity")).toBe(0);
    expect(await register(type, true, "app.severity")).toBe(1);
    const listed = await database.query("select * from queue.resource_types()");
    expect(listed.filter(({ name }) => name === type)).toEqual([
      {
        name: type,
        title: "A title",
        schema: true,
        pool: "default",
        table_name: "app.severity",
        id_column: "id",
        protected_table: null,
        protected_column: null,
        registered_at: expect.any(Date) as Date,
        is_listed: false,
      },
    ]);
  });

  const shown = async (type: string) =>
    only(
      await database.query(
        "select title, pool, is_listed from queue.resource_types() where name = $1",
        [type],
      ),
    );
  /** As if reports were older than they are. */
  const age = (type: string, minutes: number) =>
    database.query(
      `update queue.resource_type
      set last_seen_at = last_seen_at - make_interval(mins => $2), listed_at = listed_at - make_interval(mins => $2)
      where name = $1`,
      [type, minutes],
    );

  it("knows whether workers list the resources, whichever worker registered the type last", async () => {
    const type = newResourceType();
    const set = async (listed: boolean | null, replace: boolean) =>
      only(
        await database.query(
          "select queue.resource_register(array[$1], listed => array[$2::boolean], replace => $3) as changed",
          [type, listed, replace],
        ),
      )["changed"];
    expect(await set(null, true)).toBe(1);
    expect(await shown(type)).toMatchObject({ is_listed: false });
    expect(await set(true, true)).toBe(1);
    expect(await set(true, true)).toBe(0);
    expect(await shown(type)).toMatchObject({ is_listed: true });
    // A worker of an older release starts.
    await set(null, true);
    expect(await shown(type)).toMatchObject({ is_listed: true });
    await age(type, 21);
    expect(await shown(type)).toMatchObject({ is_listed: false });
    expect(await set(true, false)).toBe(1);
    expect(await shown(type)).toMatchObject({ is_listed: true });
  });

  it("keeps what workers still report, and forgets what no worker reports any longer", async () => {
    const type = newResourceType();
    const set = async (title: string, pool: string, replace: boolean) =>
      only(
        await database.query(
          "select queue.resource_register(array[$1], array[$2], pool => $3, replace => $4) as changed",
          [type, title, pool, replace],
        ),
      )["changed"];
    const [old, renewed] = [
      { title: "Old", pool: "a" },
      { title: "New", pool: "b" },
    ];
    expect(await set("Old", "a", true)).toBe(1);
    expect(await set("New", "b", true)).toBe(1);
    expect(await set("Old", "a", false)).toBe(0);
    expect(await shown(type)).toMatchObject(renewed);
    // An old worker starts again in the middle of a deployment, and is gone at its end.
    expect(await set("Old", "a", true)).toBe(1);
    await age(type, 19);
    expect(await set("New", "b", false)).toBe(0);
    expect(await shown(type)).toMatchObject(old);
    await age(type, 2);
    expect(await set("New", "b", false)).toBe(1);
    expect(await shown(type)).toMatchObject(renewed);
  });

  it("refuses an invalid schema, and names that are too long", async () => {
    await expect(register(newResourceType(), [])).rejects.toMatchObject({ code: "OX004" });
    await expect(register("x".repeat(257), {})).rejects.toMatchObject({ code: "OX004" });
  });
});
