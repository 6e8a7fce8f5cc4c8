import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue, only } from "../../helpers/queues.ts";

const database = await createDatabase();

const get = (name: string) => database.query("select * from queue.get_queue($1)", [name]);

describe("get_queue", () => {
  it("returns the same row as list_queues", async () => {
    const letters = await newQueue(database);
    const orders = await newQueue(database, { maxReceives: 5, deadLetterQueue: letters });
    const listed = await database.query("select * from queue.list_queues() where name = $1", [
      orders,
    ]);
    expect(await get(orders)).toEqual(listed);
    expect(only(listed)).toMatchObject({ max_receives: 5, dead_letter_queue: letters });
  });

  it.each([
    ["Mails", "Mails"],
    ["mails.fifo", "mails.fifo"],
    ["letters", null],
  ])("shows by what name clients of SQS know %s: %s", async (created, shown) => {
    const [queue] = await database.query("select name from queue.sqs_create_queue($1)", [created]);
    const name = String(queue?.["name"]);
    const row = only(await get(name));
    expect(row["sqs_name"]).toBe(shown);
    const listed = "select * from queue.list_queues() where name = $1";
    expect(await database.query(listed, [name])).toEqual([row]);
    expect(await database.query("select * from queue.alter_queue($1, '{}')", [name])).toEqual([
      row,
    ]);
  });

  it("raises OX001 for a queue that does not exist", async () => {
    await expect(get("absent")).rejects.toMatchObject({ code: "OX001" });
  });

  it("reads the queues of Oxbow, but not those of workflows", async () => {
    await database.query("select queue.subscribe('t', 'http', 'https://example.org/hook')");
    expect(only(await get("__http"))).toMatchObject({ name: "__http" });
    await database.query("select queue.workflow_start('got', '{}')");
    const [workflow] = await database.query(
      "select name from queue.queue where kind = 'workflow' limit 1",
    );
    expect(workflow).toBeDefined();
    await expect(get(String(workflow?.["name"]))).rejects.toMatchObject({ code: "OX007" });
  });
});
