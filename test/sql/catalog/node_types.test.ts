import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { codeOf, newDefinitionName, publishedDefinition } from "../../helpers/definitions.ts";
import { only } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

const newPool = (): string => `p-${randomBytes(6).toString("hex")}`;

const descriptor = (type: string, title = type) => ({ type, title, params: { type: "object" } });

async function register(
  pool: string | null,
  types: unknown,
  replace = true,
  on: Pick<typeof database, "query"> = database,
): Promise<number> {
  const rows = await on.query<{ written: number }>(
    "select queue.node_types_register($1, $2, $3) as written",
    [pool, JSON.stringify(types), replace],
  );
  return only(rows).written;
}

const listed = (pool: string) =>
  database.query(
    "select type, version, descriptor ->> 'title' as title, is_served from queue.node_types($1)",
    [pool],
  );

/** Lets the last report of a pool's types be older than it is. */
const age = (pool: string, by: string) =>
  database.query(
    "update queue.node_type set last_seen_at = last_seen_at - $2::interval where pool = $1",
    [pool, by],
  );

describe("node_types_register", () => {
  it("lists what was registered, by type and version of the pool", async () => {
    const [pool, other] = [newPool(), newPool()];
    await register(pool, [
      descriptor("slack.post@10"),
      descriptor("mail@1"),
      descriptor("slack.post@2"),
    ]);
    await register(other, [descriptor("sms@1")]);
    expect(await listed(pool)).toEqual([
      { type: "mail", version: 1, title: "mail@1", is_served: true },
      { type: "slack.post", version: 2, title: "slack.post@2", is_served: true },
      { type: "slack.post", version: 10, title: "slack.post@10", is_served: true },
    ]);
    const pools = await database.query<{ pool: string }>(
      "select distinct pool from queue.node_types()",
    );
    expect(pools.map((row) => row.pool)).toEqual(expect.arrayContaining([pool, other]));
  });

  it("writes and locks nothing for types that are known and were seen lately", async () => {
    const pool = newPool();
    const types = [descriptor("mail@1"), descriptor("sms@1")];
    expect(await register(pool, types)).toBe(2);
    const session = await openTransaction(database);
    expect(await register(pool, types, true, session)).toBe(0);
    const [own] = await session.query(
      "select pg_current_xact_id_if_assigned() is null as read_only",
    );
    expect(own).toEqual({ read_only: true });
    await session.query("rollback");
  });

  it("replaces a descriptor that has changed, and only reports it without replace", async () => {
    const pool = newPool();
    await register(pool, [descriptor("mail@1", "old")]);
    expect(await register(pool, [descriptor("mail@1", "new")])).toBe(1);
    // A worker of the release before is still there.
    expect(await register(pool, [descriptor("mail@1", "old")], false)).toBe(0);
    await age(pool, "19 minutes");
    expect(await register(pool, [descriptor("mail@1", "old"), descriptor("sms@1")], false)).toBe(1);
    expect(await listed(pool)).toMatchObject([
      { type: "mail", title: "new", is_served: true },
      { type: "sms", is_served: true },
    ]);
  });

  it("forgets a descriptor of an old worker that started last, once it is gone", async () => {
    const pool = newPool();
    const report = (title: string, replace: boolean) =>
      register(pool, [descriptor("mail@1", title)], replace);
    await report("new", true);
    // It is started again in the middle of a deployment.
    expect(await report("old", true)).toBe(1);
    await age(pool, "11 minutes");
    expect(await report("new", false)).toBe(0);
    expect(await report("old", false)).toBe(1);
    await age(pool, "21 minutes");
    expect(await report("new", false)).toBe(1);
    expect(await listed(pool)).toMatchObject([{ title: "new", is_served: true }]);
  });

  it("keeps types that no worker serves any longer", async () => {
    const pool = newPool();
    await register(pool, [descriptor("mail@1"), descriptor("sms@1")]);
    await age(pool, "2 hours");
    await register(pool, [descriptor("sms@1")]);
    expect(await listed(pool)).toMatchObject([
      { type: "mail", is_served: false },
      { type: "sms", is_served: true },
    ]);
  });

  it("stores each type once when many workers start at the same moment", async () => {
    const pool = newPool();
    const types = Array.from({ length: 30 }, (_, at) => descriptor(`t${at}@1`));
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(database)));
    const written = await Promise.all(
      sessions.map((session, at) =>
        // In different orders: no transaction waits for another that waits for it.
        register(pool, at % 2 === 0 ? types : types.toReversed(), true, session),
      ),
    );
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(30);
    expect(await listed(pool)).toHaveLength(30);
  });

  it.each([
    ["no array", {}],
    ["null", null],
    ["an item that is no object", [1]],
    ["an item that is null", [null]],
    ["a type without version", [descriptor("mail")]],
    ["a version 0", [descriptor("mail@0")]],
    ["a version that is too large", [descriptor("mail@99999999999")]],
    ["no schema of the parameters", [{ type: "mail@1" }]],
    ["a type twice", [descriptor("mail@1"), descriptor("mail@1")]],
    ["a descriptor that is too large", [descriptor("mail@1", "x".repeat(300_000))]],
    ["too many types", Array.from({ length: 1_001 }, (_, at) => descriptor(`t${at}@1`))],
  ])("refuses %s", async (_what, types) => {
    const pool = newPool();
    expect(await codeOf(register(pool, types))).toBe("OX004");
    expect(await listed(pool)).toEqual([]);
  });

  it.each([[null], [""], [" a"], ["x".repeat(257)]])("refuses the pool %j", async (pool) => {
    expect(await codeOf(register(pool, []))).toBe("OX003");
  });
});

describe("node_types_missing", () => {
  const missing = (pool: string) =>
    database.query(
      "select definition, version, type, last_seen_at is null as never from queue.node_types_missing() where pool = $1",
      [pool],
    );

  const using = (pool: string, type: string, rollback?: string) => {
    const name = newDefinitionName();
    const undo = rollback === undefined ? {} : { rollback: { type: rollback } };
    return {
      format: 1 as const,
      name,
      nodes: { a: { type, params: {}, ...undo }, b: { type, params: {} } },
      settings: { pool },
    };
  };

  it("names definitions whose types no worker of their pool has registered", async () => {
    const [pool, other] = [newPool(), newPool()];
    await register(pool, [descriptor("mail@1")]);
    await register(other, [descriptor("mail@2"), descriptor("unmail@1")]);
    await publishedDefinition(database, using(pool, "mail@1"));
    const name = await publishedDefinition(database, using(pool, "mail@2", "unmail@1"));
    expect(await missing(pool)).toEqual([
      { definition: name, version: 1, type: "mail@2", never: true },
      { definition: name, version: 1, type: "unmail@1", never: true },
    ]);
  });

  it("names those whose workers are gone", async () => {
    const pool = newPool();
    await register(pool, [descriptor("mail@1")]);
    const name = await publishedDefinition(database, using(pool, "mail@1"));
    expect(await missing(pool)).toEqual([]);
    await age(pool, "2 hours");
    expect(await missing(pool)).toEqual([
      { definition: name, version: 1, type: "mail@1", never: false },
    ]);
  });

  it("leaves out drafts and archived definitions without runs", async () => {
    const pool = newPool();
    const name = await publishedDefinition(database, using(pool, "mail@1"));
    await database.query("select queue.definition_archive($1)", [name]);
    expect(await missing(pool)).toEqual([]);
  });
});
