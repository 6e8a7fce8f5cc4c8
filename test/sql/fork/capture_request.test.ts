import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { codeOf } from "../../helpers/definitions.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

const capture = async (key: string | null, on: Pick<typeof database, "query"> = database) => {
  const [row] = await on.query<{ captured: boolean }>(
    `select queue.capture_request(17, $1, 'https://ada:secret@example.org/orders', '{"id": 1}',
       '{"method": "POST", "headers": {"x-tenant": "t1"}}') as captured`,
    [key],
  );
  return row?.captured;
};

it("lists a request of a sandbox once, however often its node is attempted", async () => {
  expect(await capture("17:pay")).toBe(false);
  await database.query("select queue.hold_incarnation('a test', clock_timestamp())");
  await database.query("select queue.release_incarnation('sandbox')");
  const sessions = await Promise.all([1, 2, 3, 4].map(() => openSession(database)));
  const captured = await Promise.all(sessions.map((session) => capture("17:pay", session)));
  expect(captured.filter((isListed) => isListed === true)).toHaveLength(1);
  expect(await capture("17:refund")).toBe(true);
  const url = "https://ada:secret@example.org/orders";
  const request = {
    url,
    subscription_id: null,
    topic: null,
    message: { id: 1 },
    headers: { method: "POST", url, headers: { "x-tenant": "t1" } },
    run_id: "17",
  };
  expect(await database.query("select * from queue.captured_deliveries()")).toMatchObject([
    request,
    request,
  ]);

  const reader = await openSession(database);
  await reader.query("set role oxbow_reader");
  const [masked] = await reader.query("select url, headers from queue.captured_deliveries()");
  expect(JSON.stringify(masked)).not.toContain("secret");
  expect(await codeOf(capture("17:other", reader))).toBe("42501");
  const worker = await openSession(database);
  await worker.query("set role oxbow_worker");
  expect(await capture("17:other", worker)).toBe(true);
  expect(await codeOf(capture(null))).toBe("OX004");
  expect(await codeOf(capture("x".repeat(2_049)))).toBe("OX004");
});
