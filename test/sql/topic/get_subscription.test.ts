import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only, uniqueQueueName } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";
import { subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();

const get = (id: string | null) => database.query("select * from queue.get_subscription($1)", [id]);

describe("get_subscription", () => {
  it("returns the same row as list_subscriptions", async () => {
    const id = await subscribe(database, "got.#", { workflow: uniqueQueueName() });
    await subscribe(database, "got.#", { workflow: uniqueQueueName() });
    const listed = await database.query("select * from queue.list_subscriptions('got.#')");
    expect(listed).toHaveLength(2);
    expect(only(await get(id))).toEqual(listed.find((row) => row["subscription_id"] === id));
  });

  it("returns no row for a subscription that does not exist, or null", async () => {
    expect(await get("999999")).toEqual([]);
    expect(await get(null)).toEqual([]);
  });

  it("masks passwords for readers", async () => {
    const [row] = await database.query<{ id: string }>(
      "select queue.subscribe('masked', 'http', 'https://user:secret@example.org/hook') as id",
    );
    const id = row?.id ?? "";
    expect(JSON.stringify(await get(id))).toContain("secret");
    const reader = await openSession(database);
    await reader.query("set role oxbow_reader");
    const seen = await reader.query("select target from queue.get_subscription($1)", [id]);
    expect(only(seen)).toMatchObject({ target: expect.stringContaining("example.org") as string });
    expect(JSON.stringify(seen)).not.toContain("secret");
  });
});
