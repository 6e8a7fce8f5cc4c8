import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { publishDefinition, saveDraft, type TestDocument } from "../../helpers/definitions.ts";
import { only } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";
import { commit, listening, receive, runsOf, start } from "../../helpers/triggers.ts";

const database = await createDatabase();

const HOOK = { on: "webhook", verify: "github" };

const hooksOf = (name: string) =>
  database.query("select hook_id, trigger, verify from queue.trigger_hooks($1)", [name]);

const deliver = (
  hookId: unknown,
  id: string | null,
  on: Pick<typeof database, "query"> = database,
) =>
  on.query(
    "select event_id::text as id, is_new from queue.trigger_hook_receive($1, '{\"body\": 1}', $2)",
    [hookId, id],
  );

it("keep their address over versions, and end with the trigger", async () => {
  const { name } = await listening(database, { trigger: HOOK });
  const [hook] = await hooksOf(name);
  expect(hook).toEqual({
    hook_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    trigger: "changed",
    verify: "github",
  });
  const publish = async (triggers: object): Promise<void> => {
    const { draft, revision } = only(
      await database.query("select draft, revision from queue.definition_get($1)", [name]),
    ) as unknown as { draft: TestDocument; revision: number };
    const document = { ...draft, triggers } as TestDocument;
    await publishDefinition(database, name, await saveDraft(database, document, revision));
  };
  await publish({});
  expect(await hooksOf(name)).toEqual([]);
  expect(await deliver(hook?.["hook_id"], null)).toEqual([]);
  await publish({ changed: { ...HOOK, verify: "token" } });
  expect(await hooksOf(name)).toEqual([{ ...hook, verify: "token" }]);
  await database.query("select queue.definition_archive($1)", [name]);
  expect(await hooksOf(name)).toEqual([]);
  await database.query("select queue.definition_delete($1)", [name]);
  expect(
    await database.query("select from queue.trigger_hooks(hook_id => $1)", [hook?.["hook_id"]]),
  ).toEqual([]);
});

it("make one event of deliveries with one id, even of a hundred together", async () => {
  const { name, pool } = await listening(database, { trigger: HOOK });
  const hookId = only(await hooksOf(name))["hook_id"];
  const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(database)));
  const answers = await Promise.all(
    sessions.map(async (session) => {
      const found: Record<string, unknown>[] = [];
      for (let n = 0; n < 10; n++) found.push(only(await deliver(hookId, "d1", session)));
      return found;
    }),
  );
  const all = answers.flat();
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  expect(all.filter(({ is_new: isNew }) => isNew === true)).toHaveLength(1);
  expect(only(await deliver(hookId, "d2"))).toMatchObject({ is_new: true });
  const { events } = await receive(database, pool);
  expect(events).toHaveLength(2);
  await commit(
    database,
    pool,
    events,
    events.map((event) => start(event, name)),
  );
  expect(await runsOf(database, name)).toHaveLength(2);
  // Without an id, each delivery is an event.
  expect(only(await deliver(hookId, null))).toMatchObject({ is_new: true });
  expect(only(await deliver(hookId, null))).toMatchObject({ is_new: true });
  expect((await receive(database, pool)).events).toHaveLength(2);
});

it("forget ids of deliveries after seven days, and refuse events that are too large", async () => {
  const { name } = await listening(database, { trigger: HOOK });
  const hookId = only(await hooksOf(name))["hook_id"];
  const first = only(await deliver(hookId, "old"));
  const kept = only(await deliver(hookId, "new"));
  await database.query(
    "update queue.hook_delivery set received_at = now() - interval '8 days' where event_id = $1",
    [first["id"]],
  );
  await database.query("select queue.trigger_sweep()");
  expect(only(await deliver(hookId, "old"))).toMatchObject({ is_new: true });
  expect(only(await deliver(hookId, "new"))).toEqual({ id: kept["id"], is_new: false });
  const large = database.query(
    "select queue.trigger_hook_receive($1, to_jsonb(repeat('x', 17000000)))",
    [hookId],
  );
  await expect(large).rejects.toMatchObject({ code: "OX008" });
});

it("follow a definition that moves to another pool while they are delivered", async () => {
  const { name, pool } = await listening(database, { trigger: HOOK });
  const hookId = only(await hooksOf(name))["hook_id"];
  const [delivering, moving] = [await openSession(database), await openSession(database)];
  await delivering.query("begin");
  await deliver(hookId, "moved", delivering);
  const next = `${pool}-2`;
  const commitLater = async (): Promise<void> => {
    await moving.isBlocked(delivering);
    await delivering.query("commit");
  };
  await Promise.all([
    moving.query("select queue.definition_configure($1, pool => $2)", [name, next]),
    commitLater(),
  ]);
  const event = only((await receive(database, next)).events);
  await commit(database, next, [event], [start(event, name)]);
  expect(await runsOf(database, name)).toHaveLength(1);
});
