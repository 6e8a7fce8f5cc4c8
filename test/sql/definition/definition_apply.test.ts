import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  createDefinition,
  definition,
  documentOf,
  newDefinitionName,
  publishDefinition,
  publishedDefinition,
  saveDraft,
} from "../../helpers/definitions.ts";
import type { Queryable } from "../../helpers/queues.ts";
import { openSession, type Session } from "../../helpers/session.ts";

const database = await createDatabase();

interface ApplyOptions {
  readonly publish?: boolean;
  readonly overwrite?: boolean | null;
  readonly on?: Queryable;
}

const apply = (
  documents: readonly unknown[],
  { publish = false, overwrite = false, on = database }: ApplyOptions = {},
) =>
  on.query(
    "select name, outcome, revision, version from queue.definition_apply($1::jsonb[], $2, overwrite => $3, actor => 'ci')",
    [documents.map((document) => JSON.stringify(document)), publish, overwrite],
  );

const as = async (role: string): Promise<Session> => {
  const session = await openSession(database);
  await session.query(`set session authorization ${role}`);
  return session;
};

describe("definition_apply", () => {
  it("creates what is missing, changes what differs, and leaves the rest", async () => {
    const [one, two, three] = [`a${newDefinitionName()}`, `b${newDefinitionName()}`, "c-new"];
    await publishedDefinition(database, documentOf(one));
    await publishedDefinition(database, documentOf(two));
    const documents = [documentOf(three), documentOf(two, 2), documentOf(one)];
    expect(await apply(documents)).toEqual([
      { name: one, outcome: "unchanged", revision: 1, version: 1 },
      { name: two, outcome: "changed", revision: 2, version: 1 },
      { name: three, outcome: "created", revision: 1, version: null },
    ]);
    expect(await apply(documents, { publish: true })).toEqual([
      { name: one, outcome: "unchanged", revision: 1, version: 1 },
      { name: two, outcome: "unchanged", revision: 2, version: 2 },
      { name: three, outcome: "unchanged", revision: 1, version: 1 },
    ]);
  });

  it("applies all or nothing", async () => {
    const [good, bad] = [`a${newDefinitionName()}`, `b${newDefinitionName()}`];
    await expect(
      apply([documentOf(good), { ...documentOf(bad), nodes: {} }], { publish: true }),
    ).rejects.toMatchObject({ code: "OX015" });
    expect(await database.query("select from queue.definition_get($1)", [good])).toEqual([]);
    await expect(apply([documentOf(good), documentOf(good)])).rejects.toMatchObject({
      code: "OX004",
    });
    await expect(apply([{ nodes: {} }])).rejects.toMatchObject({ code: "OX003" });
  });

  it("replaces no draft that another person has changed, unless that is asked for", async () => {
    const name = await publishedDefinition(database);
    await saveDraft(database, documentOf(name, "of anna"), 1, "anna");
    await expect(apply([documentOf(name, "of ci")], { overwrite: null })).rejects.toMatchObject({
      code: "OX013",
    });
    await expect(apply([documentOf(name, "of ci")])).rejects.toMatchObject({
      code: "OX013",
      message: `draft of definition "${name}" has unpublished changes: "anna" saved revision 2`,
      hint: "Publish the draft first, merge it into the document, or apply with overwrite to discard it.",
    });
    expect(await apply([documentOf(name, "of anna")])).toMatchObject([{ outcome: "unchanged" }]);
    expect(await apply([documentOf(name, "of ci")], { overwrite: true })).toMatchObject([
      { outcome: "changed", revision: 3 },
    ]);
    expect(await definition(database, name)).toMatchObject({ draft_by: "ci" });
  });

  it("does not deadlock with another one", async () => {
    const names = [newDefinitionName(), newDefinitionName()];
    for (const name of names) await publishedDefinition(database, documentOf(name));
    const documents = names.map((name) => documentOf(name, 2));
    const sessions = await Promise.all([openSession(database), openSession(database)]);
    const order = [documents, documents.toReversed()];
    await Promise.all(
      sessions.map(async (on, at) => {
        for (let round = 0; round < 10; round++) {
          const changed = (order[at] ?? []).map(({ name }) => documentOf(name, `${at}.${round}`));
          await apply(changed, { overwrite: true, publish: round % 3 === 0, on });
        }
      }),
    );
  });
});

describe("roles", () => {
  it("only an administrator names another author", async () => {
    const name = newDefinitionName();
    const author = await as("oxbow_author");
    await createDefinition(author, documentOf(name), "anna");
    expect(await definition(database, name)).toMatchObject({ draft_by: "oxbow_author" });
    const admin = await as("oxbow_admin");
    await saveDraft(admin, documentOf(name, 2), 1, "anna");
    expect(await definition(database, name)).toMatchObject({ draft_by: "anna" });
    await admin.query("begin; set local oxbow.actor = 'ada'");
    await publishDefinition(admin, name, 2);
    await admin.query("select queue.definition_pause($1, 'why')", [name]);
    await admin.query("commit");
    const entries = await database.query(
      "select action, actor, outcome from queue.audit_list(subject_type => 'definition') where subject = $1 order by action",
      [name],
    );
    expect(entries).toEqual([
      { action: "definition.create", actor: "oxbow_author", outcome: "changed" },
      { action: "definition.pause", actor: "ada", outcome: "changed" },
      { action: "definition.publish", actor: "ada", outcome: "changed" },
    ]);
    expect(
      await database.query("select published_by from queue.definition_versions($1)", [name]),
    ).toEqual([{ published_by: "ada" }]);
  });

  it("an author edits and applies drafts, and publishes nothing", async () => {
    const author = await as("oxbow_author");
    const name = newDefinitionName();
    await createDefinition(author, documentOf(name));
    await saveDraft(author, documentOf(name, 2), 1);
    await apply([documentOf(name, 3)], { overwrite: true, on: author });
    expect(await definition(author, name)).toMatchObject({ revision: 3 });
    const denied = { code: "42501" };
    await expect(publishDefinition(author, name, 3)).rejects.toMatchObject(denied);
    await expect(apply([documentOf(name, 3)], { publish: true, on: author })).rejects.toMatchObject(
      denied,
    );
    for (const call of ["pause", "archive", "delete", "configure", "start"]) {
      await expect(
        author.query(`select queue.definition_${call}($1)`, [name]),
      ).rejects.toMatchObject(denied);
    }
  });

  it("a publisher publishes, pauses and archives, and edits nothing", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    const publisher = await as("oxbow_publisher");
    await publishDefinition(publisher, name, 1);
    await publisher.query("select queue.definition_pause($1)", [name]);
    await publisher.query("select queue.definition_resume($1)", [name]);
    await expect(saveDraft(publisher, documentOf(name, 2), 1)).rejects.toMatchObject({
      code: "42501",
    });
    await expect(
      publisher.query("select queue.definition_configure($1, is_protected => false)", [name]),
    ).rejects.toMatchObject({ code: "42501" });
  });

  it("a producer starts, a reader looks", async () => {
    const name = await publishedDefinition(database);
    const [producer, reader] = [await as("oxbow_producer"), await as("oxbow_reader")];
    expect(
      await producer.query("select run_id from queue.definition_start($1)", [name]),
    ).toHaveLength(1);
    expect(await definition(reader, name)).toMatchObject({ name });
    await expect(reader.query("select queue.definition_start($1)", [name])).rejects.toMatchObject({
      code: "42501",
    });
  });
});
