import { randomBytes } from "node:crypto";
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
import {
  createResources,
  documentNaming,
  newResourceType,
  POINTER,
  protect,
  protectedResources,
  type TestResources,
} from "../../helpers/resources.ts";
import { openSession, type Session } from "../../helpers/session.ts";

const database = await createDatabase();

const remove = ({ table }: TestResources, id: string, on: Pick<Session, "query"> = database) =>
  on.query(`delete from ${table} where id::text = $1 returning id`, [id]);

const draftNaming = async ({ type }: TestResources, id: string): Promise<string> => {
  const document = documentNaming(type, id);
  await createDefinition(database, document);
  return document.name;
};

describe("a protected table", () => {
  it("refuses to delete what a published version names, and names the owners", async () => {
    const severities = await protectedResources(database, ["major", "minor"]);
    const name = await publishedDefinition(database, documentNaming(severities.type, "major"));
    await expect(remove(severities, "major")).rejects.toMatchObject({
      code: "OX026",
      message: expect.stringContaining(name) as string,
      detail: expect.stringContaining(POINTER) as string,
    });
    expect(await remove(severities, "minor")).toHaveLength(1);
    await database.query("select queue.definition_archive($1)", [name]);
    expect(await remove(severities, "major")).toHaveLength(1);
  });

  it("refuses to change such an id, and allows any other change", async () => {
    const severities = await protectedResources(database, ["major"]);
    await publishedDefinition(database, documentNaming(severities.type, "major"));
    const { table } = severities;
    await expect(database.query(`update ${table} set id = 'other'`)).rejects.toMatchObject({
      code: "OX026",
    });
    await database.query(`update ${table} set id = id, name = 'another name'`);
    await expect(database.query(`truncate ${table}`)).rejects.toMatchObject({ code: "0A000" });
    await expect(database.query(`drop table ${table}`)).rejects.toMatchObject({ code: "2BP01" });
  });

  it("lets drafts keep nothing", async () => {
    const severities = await protectedResources(database, ["major"]);
    await draftNaming(severities, "major");
    expect(await remove(severities, "major")).toHaveLength(1);
  });

  it("keeps what archived versions with runs name, until the runs have ended", async () => {
    const severities = await protectedResources(database, ["major"]);
    const name = await publishedDefinition(database, documentNaming(severities.type, "major"));
    const { run_id: runId } = only(
      await database.query("select run_id from queue.definition_start($1, '{}')", [name]),
    );
    await saveDraft(database, documentOf(name), 1);
    await publishDefinition(database, name, 2);
    expect(await codeOf(remove(severities, "major"))).toBe("OX026");
    await database.query("select queue.workflow_cancel($1)", [runId]);
    expect(await remove(severities, "major")).toHaveLength(1);
  });

  it.each(["text", "varchar(20)", "uuid", "smallint", "integer", "bigint"])(
    "has ids of type %s",
    async (type) => {
      const id = type === "uuid" ? "9b2e5a4c-3f0a-4d3e-8a5e-0d6b2f1c7e11" : "7";
      const severities = await protectedResources(database, [id], {
        column: `id ${type} primary key`,
      });
      await publishedDefinition(database, documentNaming(severities.type, id));
      expect(await codeOf(remove(severities, id))).toBe("OX026");
      for (const other of ["8", "no id of any kind", "99999999999999999999999"]) {
        const name = await draftNaming(severities, other);
        expect(await codeOf(publishDefinition(database, name, 1))).toBe("OX015");
      }
    },
  );

  it("may be partitioned, or renamed later", async () => {
    const severities = {
      type: newResourceType(),
      table: `public.parts_${randomBytes(4).toString("hex")}`,
    };
    const { table, type } = severities;
    await database.query(`create table ${table} (id text primary key) partition by hash (id)`);
    await database.query(
      `create table ${table}_0 partition of ${table} for values with (modulus 1, remainder 0)`,
    );
    await database.query(`insert into ${table} values ('major')`);
    expect(await protect(database, severities)).toBe(true);
    await publishedDefinition(database, documentNaming(type, "major"));
    expect(await codeOf(remove(severities, "major"))).toBe("OX026");
    await database.query(`alter table ${table} rename to renamed_${type.toLowerCase()}`);
    const renamed = { type, table: `public.renamed_${type.toLowerCase()}` };
    expect(await codeOf(remove(renamed, "major"))).toBe("OX026");
    expect(await protect(database, renamed)).toBe(false);
    await database.query(`alter table ${renamed.table} rename column id to key`);
    expect(await codeOf(database.query(`delete from ${renamed.table}`))).toBe("OX026");
  });

  it("refuses a publication that names what does not exist, with the place", async () => {
    const severities = await protectedResources(database, ["major"]);
    const name = await draftNaming(severities, "gone");
    await expect(publishDefinition(database, name, 1)).rejects.toMatchObject({
      code: "OX015",
      detail: expect.stringContaining(`"pointer": "${POINTER}"`) as string,
      message: expect.stringContaining(`there is no ${severities.type} "gone"`) as string,
    });
    await expect(
      database.query("select queue.reference_set('policy', $1, $2)", [
        severities.type,
        JSON.stringify([{ type: severities.type, id: "gone" }]),
      ]),
    ).rejects.toMatchObject({ code: "OX027" });
  });

  it("refuses a publication that writes an id in another form than the table", async () => {
    const id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
    const type = newResourceType();
    await database.query("create table public.by_uuid (id uuid primary key)");
    await database.query("insert into public.by_uuid values ($1)", [id]);
    await database.query("select queue.protect_resource($1, 'public.by_uuid')", [type]);
    const capitals = documentNaming(type, id.toUpperCase());
    await createDefinition(database, capitals);
    await expect(publishDefinition(database, capitals.name, 1)).rejects.toMatchObject({
      code: "OX015",
      detail: expect.stringContaining("write its id as its table shows it") as string,
    });
    await publishedDefinition(database, documentNaming(type, id));
    const removed = database.query("delete from public.by_uuid");
    await expect(removed).rejects.toMatchObject({ code: "OX026" });
  });

  it("keeps what other owners name", async () => {
    const severities = await protectedResources(database, ["major"]);
    const set = (resources: unknown) =>
      database.query("select queue.reference_set('policy', $1, $2)", [
        severities.type,
        JSON.stringify(resources),
      ]);
    await set([{ type: severities.type, id: "major" }]);
    await expect(remove(severities, "major")).rejects.toMatchObject({
      code: "OX026",
      message: expect.stringContaining("policy") as string,
    });
    await set([]);
    expect(await remove(severities, "major")).toHaveLength(1);
  });
});

describe("a delete and a publication at the same time", () => {
  it("let the delete wait for the publication, and fail by it", async () => {
    const severities = await protectedResources(database, ["major"]);
    const name = await draftNaming(severities, "major");
    const [publisher, deleter] = [await openSession(database), await openSession(database)];
    await publisher.query("begin");
    await publishDefinition(publisher, name, 1);
    const deleting = codeOf(remove(severities, "major", deleter));
    await deleter.isBlocked(publisher);
    await publisher.query("commit");
    expect(await deleting).toBe("OX026");
  });

  it("let the publication wait for the delete, and fail by it", async () => {
    const severities = await protectedResources(database, ["major"]);
    const name = await draftNaming(severities, "major");
    const [publisher, deleter] = [await openSession(database), await openSession(database)];
    await deleter.query("begin");
    await remove(severities, "major", deleter);
    const publishing = codeOf(publishDefinition(publisher, name, 1));
    await publisher.isBlocked(deleter);
    await deleter.query("commit");
    expect(await publishing).toBe("OX015");
  });

  it.each(["repeatable read", "serializable"])(
    "keep the resource also if the delete is %s and began before",
    async (isolation) => {
      const severities = await protectedResources(database, ["major"]);
      const name = await draftNaming(severities, "major");
      const deleter = await openSession(database);
      await deleter.query(`begin isolation level ${isolation}`);
      await deleter.query("select from queue.references_to('a', 'b')");
      await publishDefinition(database, name, 1);
      // Its snapshot does not have the version.
      expect(["23503", "40001"]).toContain(await codeOf(remove(severities, "major", deleter)));
      await deleter.query("rollback");
      expect(await codeOf(remove(severities, "major"))).toBe("OX026");
    },
  );

  it("leave no dangling reference in 200 races", { timeout: 240_000 }, async () => {
    const severities = await protectedResources(database, []);
    const { table, type } = severities;
    const ids = Array.from({ length: 200 }, (_, at) => `s${at}`);
    await database.query(`insert into ${table} select unnest($1::text[])`, [ids]);
    const prefix = newDefinitionName();
    await database.query(
      `select queue.definition_create(i.document ->> 'name', i.document) from unnest($1::jsonb[]) as i (document)`,
      [ids.map((id) => JSON.stringify(documentNaming(type, id, `${prefix}-${id}`)))],
    );
    const [publisher, deleter] = [await openSession(database), await openSession(database)];
    const outcomes = new Map<string, number>();
    for (const [at, id] of ids.entries()) {
      const begin = [
        () => codeOf(publishDefinition(publisher, `${prefix}-${id}`, 1)),
        () => codeOf(remove(severities, id, deleter)),
      ];
      // Each comes first half of the time.
      const order = at % 2 === 0 ? begin : begin.toReversed();
      const codes = await Promise.all(order.map((start) => start()));
      const [published, deleted] = at % 2 === 0 ? codes : codes.toReversed();
      const outcome = `${String(published)} ${String(deleted)}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].toSorted()).toEqual(["OX015 null", "null OX026"]);
    expect(
      await database.query(
        `select d.name from queue.definition as d
         join queue.resource_reference as r on r.owner_id = d.name and r.version = d.published_version
         where r.type = $1 and not exists (select from ${table} as t where t.id = r.id)`,
        [type],
      ),
    ).toEqual([]);
  });
});

describe("protect_resource", () => {
  it("is repeatable, and is undone by unprotect_resource", async () => {
    const severities = await createResources(database, ["major"]);
    expect(await protect(database, severities)).toBe(true);
    expect(await protect(database, severities)).toBe(false);
    const [listed] = await database.query(
      "select protected_table, protected_column from queue.resource_types() where name = $1",
      [severities.type],
    );
    expect(listed).toEqual({
      protected_table: severities.table,
      protected_column: "id",
    });
    await publishedDefinition(database, documentNaming(severities.type, "major"));
    const unprotect = "select queue.unprotect_resource($1) as value";
    expect(await database.query(unprotect, [severities.type])).toEqual([{ value: true }]);
    expect(await database.query(unprotect, [severities.type])).toEqual([{ value: false }]);
    expect(await remove(severities, "major")).toHaveLength(1);
    expect(
      await database.query(
        "select from information_schema.triggers where format('%I.%I', event_object_schema, event_object_table)::regclass = $1::regclass",
        [severities.table],
      ),
    ).toEqual([]);
  });

  it("refuses a table in which a row is missing that something names", async () => {
    const severities = await createResources(database, ["major"]);
    await publishedDefinition(database, documentNaming(severities.type, "gone"));
    await expect(protect(database, severities)).rejects.toMatchObject({
      code: "OX027",
      detail: expect.stringContaining("gone") as string,
    });
    await database.query(`insert into ${severities.table} values ('gone')`);
    expect(await protect(database, severities)).toBe(true);
    expect(await codeOf(remove(severities, "gone"))).toBe("OX026");
  });

  it("refuses columns that are not unique, or have no ids, and what is no table", async () => {
    const severities = await createResources(database, []);
    expect(await codeOf(protect(database, severities, "name"))).toBe("OX004");
    expect(await codeOf(protect(database, severities, "missing"))).toBe("OX004");
    expect(await codeOf(protect(database, severities, "ctid"))).toBe("OX004");
    const dates = await createResources(database, [], { column: "id date primary key" });
    expect(await codeOf(protect(database, dates))).toBe("OX004");
    for (const table of ["pg_class", "queue.definition", "pg_stat_activity"]) {
      expect(await codeOf(protect(database, { type: newResourceType(), table }))).toBe("OX004");
    }
  });

  it("gives a table one type, and a type one table", async () => {
    const severities = await protectedResources(database, []);
    const other = await createResources(database, []);
    expect(await codeOf(protect(database, { ...severities, type: other.type }))).toBe("OX004");
    expect(await codeOf(protect(database, { ...other, type: severities.type }))).toBe("OX004");
  });

  it("protects a new table after the application has dropped the old one", async () => {
    const severities = await protectedResources(database, ["major"]);
    await database.query(`drop table ${severities.table} cascade`);
    await publishedDefinition(database, documentNaming(severities.type, "major"));
    const other = { ...(await createResources(database, ["major"])), type: severities.type };
    expect(await protect(database, other)).toBe(true);
    expect(await codeOf(remove(other, "major"))).toBe("OX026");
  });
});

describe("the rights to protect", () => {
  /** A session of a new login that is an administrator of Oxbow and owns a schema. */
  async function administrator(): Promise<{ session: Session; role: string }> {
    const role = `owner_${randomBytes(6).toString("hex")}`;
    await database.query(`create role ${role} in role oxbow_admin`);
    await database.query(`create schema ${role} authorization ${role}`);
    onTestFinished(async () => {
      await database.query("reset role");
      await database.query(`drop owned by ${role} cascade`);
      await database.query(`drop role ${role}`);
    });
    const session = await openSession(database);
    await session.query(`set session authorization ${role}`);
    return { session, role };
  }

  it("are those of the table's owner, who need not be the owner of Oxbow", async () => {
    const { session, role } = await administrator();
    const severities = { type: newResourceType(), table: `${role}.severity` };
    await session.query(`create table ${role}.severity (id text primary key)`);
    expect(await protect(session, severities)).toBe(true);
    const foreign = await createResources(database, []);
    expect(await codeOf(protect(session, foreign))).toBe("42501");
    await protect(database, foreign);
    expect(await codeOf(session.query("select queue.unprotect_resource($1)", [foreign.type]))).toBe(
      "42501",
    );
  });

  it("are of no use to other roles", async () => {
    const session = await openSession(database);
    await session.query("set role oxbow_publisher");
    expect(await codeOf(protect(session, { type: "T", table: "pg_class" }))).toBe("42501");
  });

  it("don't let a deleting role read references, nor call the guard", async () => {
    const severities = await protectedResources(database, ["major"]);
    const role = `app_${randomBytes(6).toString("hex")}`;
    await database.query(`create role ${role}`);
    await database.query(`grant select, delete on ${severities.table} to ${role}`);
    onTestFinished(async () => {
      await database.query(`drop owned by ${role}`);
      await database.query(`drop role ${role}`);
    });
    await publishedDefinition(database, documentNaming(severities.type, "major"));
    const session = await openSession(database);
    await session.query(`set session authorization ${role}`);
    expect(await codeOf(remove(severities, "major", session))).toBe("OX026");
    expect(await codeOf(session.query("select queue.references_to('a', 'b')"))).toBe("42501");
    await session.query("create temp table mine (id text)");
    expect(
      await codeOf(
        session.query(
          "create trigger t before delete on mine for each row execute function queue._guard_resource('a', 'id')",
        ),
      ),
    ).toBe("42501");
  });

  it("hold for names that contain quotes", async () => {
    const { session, role } = await administrator();
    const table = `${role}."a'; drop table queue.definition; -- ""x"`;
    const column = `i'd"; --`;
    const severities = { type: `T'"); drop table queue.definition; --`, table };
    await session.query(
      `create table ${table} ("${column.replaceAll('"', '""')}" text primary key)`,
    );
    await session.query(`insert into ${table} values ($1)`, [`x'; --`]);
    expect(await protect(session, severities, column)).toBe(true);
    await publishedDefinition(database, documentNaming(severities.type, `x'; --`));
    await expect(session.query(`delete from ${table}`)).rejects.toMatchObject({ code: "OX026" });
    await database.query("select from queue.definition");
  });

  it("let no code of the owner run with the rights of the owner of Oxbow", async () => {
    const { session, role } = await administrator();
    await session.query(`create table ${role}.log (who name, what text)`);
    // A function that is declared as immutable must not write itself.
    await session.query(
      `create function ${role}.note(what text) returns void language sql as
       $$ insert into ${role}.log values (current_user, what) $$`,
    );
    const spy = (what: string, argument: string, result: string, value: string) =>
      session.query(
        `create function ${role}.${what}(${argument}) returns ${result} language plpgsql immutable as
         $$ begin perform ${role}.note('${what}'); return ${value}; end $$`,
      );
    await session.query(`create table ${role}.severity (id text primary key, note text)`);
    await session.query(`create type ${role}.evil as (value text)`);
    await spy("in_an_index", "", "text", "'x'");
    await spy("in_a_cast", `given ${role}.evil`, "text", "($1).value");
    await spy("in_json", `given ${role}.evil`, "json", `to_json(($1).value)`);
    await spy("in_a_policy", "", "boolean", "true");
    await session.query(
      `create cast (${role}.evil as text) with function ${role}.in_a_cast(${role}.evil) as implicit`,
    );
    await session.query(
      `create cast (${role}.evil as json) with function ${role}.in_json(${role}.evil)`,
    );
    await session.query(`create index on ${role}.severity ((note || ${role}.in_an_index()))`);
    await session.query(`create policy p on ${role}.severity using (${role}.in_a_policy())`);
    await session.query(`alter table ${role}.severity enable row level security`);
    await session.query(`alter table ${role}.severity force row level security`);
    await session.query(`insert into ${role}.severity values ('major'), ('minor')`);
    const severities = { type: newResourceType(), table: `${role}.severity` };
    const name = await publishedDefinition(database, documentNaming(severities.type, "major"));
    expect(await protect(session, severities)).toBe(true);
    const other = await publishedDefinition(database, documentNaming(severities.type, "minor"));
    expect(await codeOf(remove(severities, "major", session))).toBe("OX026");
    await database.query("select queue.definition_archive(unnest($1::text[]))", [[name, other]]);
    // A type whose conversions are code of the owner.
    const alter = `alter table ${role}.severity alter column id type ${role}.evil using row(id)::${role}.evil`;
    expect(await codeOf(session.query(alter))).toBe("0A000");
    await session.query(`drop trigger oxbow_guard on ${role}.severity`);
    expect(await codeOf(session.query(alter))).toBe("42804");
    await session.query(`alter table ${role}.severity drop column id cascade`);
    await session.query(`alter table ${role}.severity add column id ${role}.evil`);
    await session.query(`update ${role}.severity set note = 'x'`);
    expect(await codeOf(protect(session, severities))).toBe("OX004");
    expect(
      await codeOf(
        session.query(
          `create trigger own before delete on ${role}.severity for each row execute function queue._guard_resource('T')`,
        ),
      ),
    ).toBe("42501");
    await session.query(`delete from ${role}.severity`);
    await database.query(`select queue.unprotect_resource($1)`, [severities.type]);
    const ran = await database.query(`select distinct who from ${role}.log`);
    expect(ran).toEqual([{ who: role }]);
  });

  it("of the owner of Oxbow to the table are asked for", async () => {
    const { session, role } = await administrator();
    await session.query(`create table ${role}.severity (id text primary key)`);
    const plain = `installer_${randomBytes(6).toString("hex")}`;
    await database.query(`create role ${plain}`);
    onTestFinished(async () => {
      await database.query(
        `alter function queue.protect_resource(text, regclass, name) owner to current_user`,
      );
      await database.query(`drop owned by ${plain}`);
      await database.query(`drop role ${plain}`);
    });
    await database.query(`grant usage, create on schema queue to ${plain}`);
    await database.query(`grant execute on all functions in schema queue to ${plain}`);
    await database.query(
      `alter function queue.protect_resource(text, regclass, name) owner to ${plain}`,
    );
    await expect(
      protect(session, { type: newResourceType(), table: `${role}.severity` }),
    ).rejects.toMatchObject({
      code: "42501",
      hint: expect.stringContaining(
        `grant trigger, references on table ${role}.severity to ${plain}`,
      ) as string,
    });
  });
});
