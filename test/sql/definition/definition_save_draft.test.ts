import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  codeOf,
  createDefinition,
  definition,
  documentOf,
  newDefinitionName,
  publishDefinition,
  saveDraft,
} from "../../helpers/definitions.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

describe("definition_create", () => {
  it("makes a draft that need not be complete", async () => {
    const name = newDefinitionName();
    expect(
      await database.query("select queue.definition_create($1, actor => 'anna') as revision", [
        name,
      ]),
    ).toEqual([{ revision: 1 }]);
    expect(await definition(database, name)).toMatchObject({
      name,
      state: "draft",
      revision: 1,
      draft_by: "anna",
      has_changes: true,
      published_version: null,
      pool: "default",
      is_protected: false,
      draft: { format: 1, name, nodes: {} },
      layout: null,
    });
  });

  it("names the role that logged in if no actor is named", async () => {
    const name = newDefinitionName();
    const session = await openSession(database);
    await session.query("set session authorization oxbow_author");
    await createDefinition(session, documentOf(name));
    expect(await definition(database, name)).toMatchObject({ draft_by: "oxbow_author" });
  });

  it.each([
    ["Upper", {}, "OX003"],
    [null, {}, "OX003"],
    ["other", { document: documentOf("another") }, "OX015"],
    ["list", { document: [] }, "OX015"],
    ["folder", { folder: " " }, "OX003"],
    ["scope", { scope: 1 }, "OX004"],
    ["actor", { actor: "" }, "OX004"],
    ["large", { document: { ...documentOf("large"), title: "x".repeat(2 ** 20) } }, "OX008"],
  ])("refuses %s with %j", async (name, given, code) => {
    const { document, folder, scope, actor } = given as Record<string, unknown>;
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    await expect(
      database.query("select queue.definition_create($1, $2, $3, $4, actor => $5)", [
        name,
        json(document),
        folder ?? null,
        json(scope),
        actor ?? null,
      ]),
    ).rejects.toMatchObject({ code });
  });

  it("refuses the name of a definition and that of a workflow in code", async () => {
    const [name, inCode, started] = [newDefinitionName(), newDefinitionName(), newDefinitionName()];
    await createDefinition(database, documentOf(name));
    await database.query("select queue.workflow_register(array[$1], array[1])", [inCode]);
    await database.query("select queue.workflow_start($1)", [started]);
    for (const taken of [name, inCode, started]) {
      await expect(createDefinition(database, documentOf(taken))).rejects.toMatchObject({
        code: "OX016",
      });
    }
    await expect(
      database.query("select queue.workflow_register(array[$1], array[1])", [name]),
    ).rejects.toMatchObject({
      code: "OX016",
      message: expect.stringContaining(`"${name}" is the name of a definition`) as string,
    });
  });

  it("makes one definition when two sessions come together, and no definition next to a registration", async () => {
    const [one, other] = [await openSession(database), await openSession(database)];
    const name = newDefinitionName();
    await one.query("begin");
    await createDefinition(one, documentOf(name));
    const second = createDefinition(other, documentOf(name));
    const refused = codeOf(second);
    await other.isBlocked(one);
    const worker = await openSession(database);
    const registration = worker.query("select queue.workflow_register(array[$1], array[1])", [
      name,
    ]);
    const alsoRefused = codeOf(registration);
    await worker.isBlocked(one);
    await one.query("commit");
    expect(await Promise.all([refused, alsoRefused])).toEqual(["OX016", "OX016"]);
  });
});

describe("definition_save_draft", () => {
  it("replaces the draft of the revision that it names", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name), "anna");
    const titled = { ...documentOf(name, 2), title: "Second" };
    expect(await saveDraft(database, titled, 1, "ada")).toBe(2);
    expect(await definition(database, name)).toMatchObject({
      revision: 2,
      draft_by: "ada",
      title: "Second",
      draft: titled,
    });
  });

  it("refuses another revision, and reports whose is newer", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name), "anna");
    await saveDraft(database, documentOf(name, 2), 1, "ada");
    const refused = saveDraft(database, documentOf(name, 3), 1, "anna");
    await expect(refused).rejects.toMatchObject({
      code: "OX013",
      message: `draft of definition "${name}" has revision 2, not 1: "ada" saved it`,
    });
    const detail = await refused.catch((error: { detail: string }) => error.detail);
    expect(JSON.parse(detail as string)).toMatchObject({ revision: 2, savedBy: "ada" });
    expect(await definition(database, name)).toMatchObject({ draft: documentOf(name, 2) });
  });

  it("answers a repeated save as it answered the first", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    expect(await saveDraft(database, documentOf(name, 2), 1)).toBe(2);
    expect(await saveDraft(database, documentOf(name, 2), 1)).toBe(2);
  });

  it("lets one of two people who save at once win, and refuses the other", async () => {
    const name = newDefinitionName();
    await createDefinition(database, documentOf(name));
    const [one, other] = [await openSession(database), await openSession(database)];
    await one.query("begin");
    expect(await saveDraft(one, documentOf(name, "of anna"), 1, "anna")).toBe(2);
    const second = saveDraft(other, documentOf(name, "of ada"), 1, "ada");
    const refused = codeOf(second);
    await other.isBlocked(one);
    await one.query("commit");
    expect(await refused).toBe("OX013");
    expect(await definition(database, name)).toMatchObject({ revision: 2, draft_by: "anna" });
  });

  it("loses no save of twenty sessions that read, change and save as fast as they can", async () => {
    const name = newDefinitionName();
    await createDefinition(database, { ...documentOf(name), settings: [] });
    const codes = new Set<unknown>();
    const edit = async (who: number): Promise<void> => {
      const session = await openSession(database);
      for (let edits = 0; edits < 5;) {
        const { draft, revision } = (await definition(session, name)) as {
          draft: ReturnType<typeof documentOf> & { settings: string[] };
          revision: number;
        };
        const settings = [...draft.settings, `${who}.${edits}`];
        const code = await codeOf(saveDraft(session, { ...draft, settings }, revision));
        if (code === null) edits++;
        else codes.add(code);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, who) => edit(who)));
    const { draft, revision } = (await definition(database, name)) as {
      draft: { settings: string[] };
      revision: number;
    };
    expect(revision).toBe(101);
    expect(draft.settings.toSorted()).toEqual(
      Array.from({ length: 100 }, (_, at) => `${Math.floor(at / 5)}.${at % 5}`).toSorted(),
    );
    expect([...codes]).toEqual(["OX013"]);
  });

  it("refuses a definition that does not exist", async () => {
    await expect(saveDraft(database, documentOf("missing"), 1)).rejects.toMatchObject({
      code: "OX012",
    });
  });
});

it("definition_restore makes a version the draft, and publishes nothing", async () => {
  const name = newDefinitionName();
  await createDefinition(database, documentOf(name, "first"));
  await publishDefinition(database, name, 1);
  await saveDraft(database, documentOf(name, "second"), 1);
  await publishDefinition(database, name, 2);
  const restore = (version: number, revision: number) =>
    database.query("select queue.definition_restore($1, $2, $3, 'anna') as revision", [
      name,
      version,
      revision,
    ]);
  await expect(restore(1, 1)).rejects.toMatchObject({ code: "OX013" });
  await expect(restore(7, 2)).rejects.toMatchObject({ code: "OX012" });
  expect(await restore(1, 2)).toEqual([{ revision: 3 }]);
  expect(await definition(database, name)).toMatchObject({
    draft: documentOf(name, "first"),
    has_changes: true,
    published_version: 2,
  });
  expect(await publishDefinition(database, name, 3)).toEqual({ version: 3, created: true });
});

it("definition_move keeps positions apart from the document, and copies them to a version", async () => {
  const name = newDefinitionName();
  await createDefinition(database, documentOf(name));
  const move = (layout: unknown, version: number | null = null) =>
    database.query("select queue.definition_move($1, $2, $3)", [
      name,
      JSON.stringify(layout),
      version,
    ]);
  await move({ nodes: { done: [1, 2] } });
  expect(await definition(database, name)).toMatchObject({
    revision: 1,
    layout: { nodes: { done: [1, 2] } },
  });
  await publishDefinition(database, name, 1);
  await move({ nodes: { done: [3, 4] } });
  const layoutOf = async () =>
    database.query("select layout from queue.definition_documents(array[$1])", [name]);
  expect(await layoutOf()).toEqual([{ layout: { nodes: { done: [1, 2] } } }]);
  await move({ nodes: { done: [5, 6] } }, 1);
  expect(await layoutOf()).toEqual([{ layout: { nodes: { done: [5, 6] } } }]);
  await expect(move({}, 2)).rejects.toMatchObject({ code: "OX012" });
  await expect(move([])).rejects.toMatchObject({ code: "OX004" });
});
