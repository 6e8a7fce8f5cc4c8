/** Endpoints: who checks them, and which of them gets a version. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { openSession, type Session } from "../../helpers/session.ts";

type Asked = Pick<TestDatabase | Session, "query">;
type Serves = Readonly<Record<string, readonly number[]>>;

interface EndpointState extends Record<string, unknown> {
  readonly endpoint_id: string;
  readonly created_at: Date;
}

async function add(on: Asked, url: string, concurrency?: number | null): Promise<EndpointState> {
  const given = concurrency === undefined ? "" : `, ${String(concurrency)}`;
  return only(await on.query<EndpointState>(`select * from queue.endpoint_add($1${given})`, [url]));
}

const get = async (on: Asked, id: string): Promise<EndpointState> =>
  only(await on.query<EndpointState>("select * from queue.endpoint_get($1)", [id]));

/** The answer of a function that takes the id of an endpoint, and more. */
async function change(on: Asked, name: string, id: string, ...more: unknown[]): Promise<unknown> {
  const places = [id, ...more].map((_, index) => `$${index + 1}`).join(", ");
  const row = only(
    await on.query(`select queue.endpoint_${name}(${places}) as answer`, [id, ...more]),
  );
  return row["answer"];
}

const checked = (on: Asked, id: string, serves: Serves): Promise<unknown> =>
  change(on, "checked", id, JSON.stringify(serves));

/** Adds an endpoint that serves this. */
async function serving(on: Asked, url: string, serves: Serves): Promise<string> {
  const { endpoint_id: id } = await add(on, url);
  await checked(on, id, serves);
  return id;
}

const take = async (on: Asked, max = 10): Promise<string[]> =>
  (await on.query("select * from queue.endpoints_to_check($1)", [max]))
    .map((row) => String(row["endpoint_id"]))
    .toSorted();

/** Versions by endpoint. */
async function targets(on: Asked): Promise<Record<string, unknown>> {
  const rows = await on.query("select * from queue.endpoints_to_push()");
  return Object.fromEntries(rows.map((row) => [String(row["endpoint_id"]), row["serves"]]));
}

/** Makes the checks due that would be due after so many seconds. */
const skip = (on: Asked, seconds: number): Promise<unknown> =>
  on.query("update queue.endpoint set check_at = check_at - make_interval(secs => $1)", [seconds]);

const URL_A = "https://a.example.org/api/oxbow";
const URL_B = "https://b.example.org/api/oxbow";

const database = await createDatabase();

/** The database, without the endpoints of the tests before. */
async function emptied(): Promise<TestDatabase> {
  await database.query("select queue.endpoint_remove(e.endpoint_id) from queue.endpoints() as e");
  return database;
}

describe("endpoint_add", () => {
  it("adds an endpoint that serves nothing yet, and whose check is due", async () => {
    const own = await emptied();
    const added = await add(own, URL_A);
    expect(added).toMatchObject({
      url: URL_A,
      concurrency: 20,
      is_paused: false,
      serves: {},
      max_duration_ms: null,
      sdk_version: null,
      checked_at: null,
      last_error: null,
      failed_at: null,
    });
    expect(await get(own, added.endpoint_id)).toEqual(added);
    expect(await own.query("select * from queue.endpoints()")).toEqual([added]);
    expect(await targets(own)).toEqual({});
    expect(await take(own)).toEqual([added.endpoint_id]);
  });

  it("of a known url sets its concurrency, resumes it and has it checked", async () => {
    const own = await emptied();
    const id = await serving(own, URL_A, { w: [1] });
    await change(own, "pause", id);
    const again = await add(own, URL_A, 7);
    expect(again).toMatchObject({
      endpoint_id: id,
      concurrency: 7,
      is_paused: false,
      serves: { w: [1] },
    });
    expect(await take(own)).toEqual([id]);
    expect(await own.query("select from queue.endpoints()")).toHaveLength(1);
  });

  it("adds a url once when two sessions come at once", async () => {
    const own = await emptied();
    const [one, other] = [await openSession(own), await openSession(own)];
    await one.query("begin");
    const { endpoint_id: id } = await add(one, URL_A);
    const second = add(other, URL_A);
    await other.isBlocked();
    await one.query("commit");
    expect((await second).endpoint_id).toBe(id);
  });

  it.each([
    ["example.org/api", 20, '"example.org/api"'],
    ["ftp://example.org/api", 20, '"ftp://example.org/api"'],
    ["https://", 20, '"https://"'],
    ["https://example.org/a b", 20, '"https://example.org/a b"'],
    ["ada:secret@example.org", 20, "invalid url"],
    [`https://example.org/${"x".repeat(2_048)}`, 20, "2048 characters"],
    [null, 20, '"null"'],
    [URL_A, 0, "concurrency 0"],
    [URL_A, 1_001, "concurrency 1001"],
    [URL_A, null, "concurrency null"],
  ])("refuses %s with concurrency %s", async (url, concurrency, named) => {
    const failing = database.query("select queue.endpoint_add($1, $2)", [url, concurrency]);
    const error = (await failing.catch((failure: unknown) => failure)) as Record<string, unknown>;
    expect(error["code"]).toBe("OX004");
    expect(`${String(error["message"])} ${String(error["hint"])}`).toContain(named);
  });
});

describe("the endpoint of a deployment that is over", () => {
  /** An old endpoint, and one that serves its workflows in these versions since so many hours. */
  async function deployed(
    serves: Serves,
    hours = 25,
    on = emptied(),
  ): Promise<{ own: TestDatabase; old: string; recent: string }> {
    const own = await on;
    const old = await serving(own, URL_A, { w: [1, 2], x: [1] });
    const recent = await serving(own, URL_B, serves);
    await own.query(
      "update queue.endpoint set created_at = created_at - make_interval(hours => $1)",
      [hours],
    );
    await skip(own, 3_600);
    return { own, old, recent };
  }
  const left = async (own: TestDatabase): Promise<string[]> => {
    await take(own);
    const rows = await own.query("select endpoint_id from queue.endpoints()");
    return rows.map((row) => String(row["endpoint_id"])).toSorted();
  };

  it("is removed after a day, with a reason in the audit", async () => {
    const { own, old, recent } = await deployed({ w: [2, 3], x: [1] });
    expect(await left(own)).toEqual([recent]);
    const audited = await own.query(
      "select detail from queue.audit where action = 'endpoint.remove' and subject = $1",
      [old],
    );
    expect(audited).toEqual([{ detail: { url: URL_A, reason: "replaced" } }]);
  });

  it.each([
    ["the new one is younger than a day", { w: [3], x: [1] }, 23],
    ["the new one has an earlier version", { w: [1], x: [1] }, 25],
    ["the new one lacks one of its workflows", { w: [3] }, 25],
  ])("stays while %s", async (_, serves: Serves, hours) => {
    const { own, old, recent } = await deployed(serves, hours);
    expect(await left(own)).toEqual([old, recent].toSorted());
  });

  it("stays while the new one is paused", async () => {
    const { own, old, recent } = await deployed({ w: [3], x: [1] });
    await change(own, "pause", recent);
    expect(await left(own)).toEqual([old, recent].toSorted());
  });

  it("stays until the last run of a version that only it serves has ended", async () => {
    const { own, old, recent } = await deployed({ w: [2], x: [1] }, 25, createDatabase());
    const start = async (version: number): Promise<unknown> => {
      const started = await own.query("select run_id from queue.workflow_start('w', null, $1)", [
        version,
      ]);
      return only(started)["run_id"];
    };
    const [waiting] = [await start(1), await start(2)];
    expect(await left(own)).toEqual([old, recent].toSorted());
    await own.query("select queue.workflow_cancel($1, 'over')", [waiting]);
    await skip(own, 60);
    expect(await left(own)).toEqual([recent]);
  });
});

describe("a check", () => {
  it("is made by one server, and again after a minute if that server doesn't report it", async () => {
    const own = await emptied();
    const ids = [(await add(own, URL_A)).endpoint_id, (await add(own, URL_B)).endpoint_id];
    const [one, other] = [await openSession(own), await openSession(own)];
    await one.query("begin");
    expect(await take(one, 1)).toEqual([ids[0]]);
    expect(await take(other)).toEqual([ids[1]]);
    await one.query("commit");
    expect(await take(own)).toEqual([]);
    await skip(own, 30);
    expect(await take(own)).toEqual([]);
    await skip(own, 30);
    expect(await take(own)).toEqual(ids.toSorted());
  });

  it("that succeeds is repeated after an hour", async () => {
    const own = await emptied();
    const { endpoint_id: id } = await add(own, URL_A);
    await take(own);
    await change(own, "failed", id, "502 Bad Gateway");
    await skip(own, 60);
    await take(own);
    expect(await change(own, "checked", id, '{"w": [1, 2]}', 60_000, "1.2.3")).toBe(true);
    expect(await get(own, id)).toMatchObject({
      serves: { w: [1, 2] },
      max_duration_ms: 60_000,
      sdk_version: "1.2.3",
      checked_at: expect.any(Date) as Date,
      last_error: null,
      failed_at: expect.any(Date) as Date,
    });
    await skip(own, 3_500);
    expect(await take(own)).toEqual([]);
    await skip(own, 100);
    expect(await take(own)).toEqual([id]);
  });

  it("that fails keeps what the last one found, and is repeated after a minute", async () => {
    const own = await emptied();
    const { endpoint_id: id } = await add(own, URL_A);
    await take(own);
    await checked(own, id, { w: [1] });
    await change(own, "sync", id);
    await take(own);
    expect(await change(own, "failed", id, "x".repeat(1_001))).toBe(true);
    expect(await get(own, id)).toMatchObject({
      serves: { w: [1] },
      last_error: "x".repeat(1_000),
      failed_at: expect.any(Date) as Date,
    });
    expect(await targets(own)).toEqual({ [id]: { w: [1] } });
    await skip(own, 30);
    expect(await take(own)).toEqual([]);
    await skip(own, 30);
    expect(await take(own)).toEqual([id]);
    await change(own, "failed", id, null);
    expect(await get(own, id)).toMatchObject({ last_error: "unknown" });
  });

  it("that was asked for during another one is made after it", async () => {
    const own = await emptied();
    const { endpoint_id: id } = await add(own, URL_A);
    await take(own);
    await change(own, "sync", id);
    await checked(own, id, { w: [1] });
    expect(await take(own)).toEqual([id]);
    await checked(own, id, { w: [2] });
    expect(await take(own)).toEqual([]);
  });

  it("of a paused endpoint is not due, and is refused", async () => {
    const own = await emptied();
    const { endpoint_id: id } = await add(own, URL_A);
    await change(own, "pause", id);
    expect(await take(own)).toEqual([]);
    await expect(change(own, "sync", id)).rejects.toMatchObject({
      code: "OX004",
      message: `endpoint ${id} is paused`,
    });
    // It had begun before the pause.
    await checked(own, id, { w: [1] });
    await skip(own, 3_600);
    expect(await take(own)).toEqual([]);
    await change(own, "resume", id);
    expect(await take(own)).toEqual([id]);
  });

  it("of a removed endpoint changes nothing", async () => {
    const id = await serving(database, "https://removed.example.org/", { w: [1] });
    expect(await change(database, "remove", id)).toBe(true);
    expect(await change(database, "remove", id)).toBe(false);
    expect(await checked(database, id, { w: [1] })).toBe(false);
    expect(await change(database, "failed", id, "gone")).toBe(false);
  });

  it.each([
    [null, null, "serves is null"],
    ["[]", null, "serves is a JSON array"],
    ['{"w": 1}', null, 'invalid versions of workflow "w": 1'],
    ['{"v": [1], "w": [1, "2"]}', null, 'invalid versions of workflow "w": [1, "2"]'],
    ['{"w": [0]}', null, '"w": [0]'],
    ['{"w": [1.5]}', null, '"w": [1.5]'],
    ['{"w": [2147483648]}', null, '"w": [2147483648]'],
    ['{"w": [1]}', 0, "invalid max_duration_ms 0"],
  ])("that found %s with a duration of %s is refused", async (serves, duration, named) => {
    await expect(change(database, "checked", "1", serves, duration)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(named) as string,
    });
  });

  it.each([0, 1_001, null])("is refused for %s endpoints at a time", async (max) => {
    await expect(
      database.query("select queue.endpoints_to_check($1)", [max]),
    ).rejects.toMatchObject({ code: "OX004" });
  });
});

describe("a version", () => {
  it("goes to the newest endpoint that serves it", async () => {
    const own = await emptied();
    const a = await serving(own, URL_A, { w: [1, 2], other: [1] });
    const b = await serving(own, URL_B, { w: [2, 3] });
    expect(await targets(own)).toEqual({ [a]: { w: [1], other: [1] }, [b]: { w: [2, 3] } });
    await add(own, URL_A);
    expect(await targets(own)).toEqual({ [a]: { w: [1, 2], other: [1] }, [b]: { w: [3] } });
    await checked(own, a, { w: [1, 2, 3] });
    expect(await targets(own)).toEqual({ [a]: { w: [1, 2, 3] } });
    await checked(own, a, {});
    expect(await targets(own)).toEqual({ [b]: { w: [2, 3] } });
  });

  it("goes to the next endpoint while that is paused, and once it is removed", async () => {
    const own = await emptied();
    const a = await serving(own, URL_A, { w: [1] });
    const b = await serving(own, URL_B, { w: [1] });
    expect(await change(own, "pause", b)).toBe(true);
    expect(await change(own, "pause", b)).toBe(false);
    expect(await get(own, b)).toMatchObject({ is_paused: true });
    expect(await targets(own)).toEqual({ [a]: { w: [1] } });
    expect(await change(own, "resume", b)).toBe(true);
    expect(await change(own, "resume", b)).toBe(false);
    expect(await targets(own)).toEqual({ [b]: { w: [1] } });
    await change(own, "remove", b);
    expect(await targets(own)).toEqual({ [a]: { w: [1] } });
    await change(own, "pause", a);
    expect(await targets(own)).toEqual({});
  });
});

describe("an endpoint", () => {
  it.each(["get", "sync", "pause", "resume"])("that is unknown fails %s", async (name) => {
    await expect(change(database, name, "123456")).rejects.toMatchObject({
      code: "OX030",
      message: "endpoint 123456 does not exist",
    });
  });

  it.each([
    ["https://ada:secret@example.org/api", "https://ada:***@example.org/api"],
    ["https://ada:sec/ret@example.org/api", "https://ada:***@example.org/api"],
    ["https://ada@a.org:secret@example.org/@a", "https://ada@a.org:***@example.org/@a"],
    ["https://ada@a.org:sec/ret@example.org/api", "https://ada@a.org:***@example.org/api"],
    ["https://token@example.org/@a", "https://***@example.org/@a"],
    ["https://token@example.org:8080/@a", "https://***@example.org:8080/@a"],
    ["https://example.org:8080/@a", "https://example.org:8080/@a"],
    ["https://[::1]:8080/@a", "https://[::1]:8080/@a"],
  ])("shows the password in %s to administrators alone", async (url, masked) => {
    const own = await emptied();
    const { endpoint_id: id } = await add(own, url);
    const session = await openSession(own);
    await session.query("set session authorization oxbow_reader");
    expect(await get(session, id)).toMatchObject({ url: masked });
    await expect(add(session, URL_A)).rejects.toMatchObject({ code: "42501" });
    await expect(take(session)).rejects.toMatchObject({ code: "42501" });
    await session.query("set session authorization oxbow_admin");
    expect(await get(session, id)).toMatchObject({ url });
  });
});

describe("a copy of the database", () => {
  it("checks nothing and pushes nothing while it is held", async () => {
    const own = await createDatabase();
    const id = await serving(own, URL_A, { w: [1] });
    const { endpoint_id: other } = await add(own, URL_B);
    await own.query("select queue.hold_incarnation('a test')");
    expect(await targets(own)).toEqual({});
    expect(await take(own)).toEqual([]);
    await own.query("select queue.release_incarnation('live')");
    expect(await targets(own)).toEqual({ [id]: { w: [1] } });
    expect(await take(own)).toContain(other);
  });

  it("pushes nothing to the functions of its source as a sandbox", async () => {
    const own = await createDatabase();
    const id = await serving(own, URL_A, { w: [1] });
    await own.query("select queue.hold_incarnation('a test')");
    await own.query("select queue.release_incarnation('sandbox')");
    expect(await get(own, id)).toMatchObject({ is_paused: true });
    expect(await targets(own)).toEqual({});
    expect(await take(own)).toEqual([]);
    const mine = await serving(own, URL_B, { w: [1] });
    expect(await targets(own)).toEqual({ [mine]: { w: [1] } });
  });
});
