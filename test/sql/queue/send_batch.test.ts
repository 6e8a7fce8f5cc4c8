import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { messages, newQueue, receive } from "../../helpers/queues.ts";

const database = await createDatabase();

describe("send_batch", () => {
  it("returns ids in the order of the messages, which are received in that order", async () => {
    const queue = await newQueue(database);
    const bodies = Array.from({ length: 500 }, (_, index) => index);
    const rows = await database.query<{ id: string }>(
      "select id from queue.send_batch($1, $2) as id",
      [queue, bodies],
    );
    const deliveries = await receive(database, queue, 500);
    expect(deliveries.map((delivery) => delivery.msg_id)).toEqual(rows.map((row) => row.id));
    expect(messages(deliveries)).toEqual(bodies);
  });

  it("gives each message its own headers, and all the same delay", async () => {
    const queue = await newQueue(database);
    await database.query(`select queue.send_batch($1, array['1', '2']::jsonb[], 0, $2)`, [
      queue,
      ['{"for": 1}', null],
    ]);
    await database.query(`select queue.send_batch($1, array['3', '4']::jsonb[], 60)`, [queue]);
    const deliveries = await receive(database, queue, 10);
    expect(deliveries.map((delivery) => delivery.headers)).toEqual([{ for: 1 }, null]);
  });

  it("delays each message by its own delay, and others by that of the call", async () => {
    const queue = await newQueue(database);
    await database.query(
      "select queue.send_batch($1, array['1', '2', '3']::jsonb[], 60, delays => '{0, null, 2.5}')",
      [queue],
    );
    const rows = await database.query<{ delay: number }>(
      "select extract(epoch from visible_at - enqueued_at)::float8 as delay from queue.peek($1)",
      [queue],
    );
    expect(rows.map(({ delay }) => delay)).toEqual([0, 60, 2.5]);
    await expect(
      database.query("select queue.send_batch($1, array['1'::jsonb], delays => '{1, 2}')", [queue]),
    ).rejects.toMatchObject({ code: "OX004", message: "2 delays for 1 messages" });
  });

  it("sends nothing when there is nothing", async () => {
    const queue = await newQueue(database);
    expect(await database.query("select queue.send_batch($1, '{}')", [queue])).toEqual([]);
  });

  it.each([
    ["null", "null", "messages are null"],
    ["array[null]::jsonb[]", "null", "message is null"],
    ["array['1', null]::jsonb[]", "null", "message is null"],
    ["array['1']::jsonb[]", "array['{}', '{}']::jsonb[]", "2 headers for 1 messages"],
    ["array['1', '2']::jsonb[]", "array['{}', '1']::jsonb[]", "headers are not a JSON object"],
  ])("refuses the messages %s with the headers %s", async (bodies, headers, message) => {
    const queue = await newQueue(database);
    await expect(
      database.query(`select queue.send_batch($1, ${bodies}, 0, ${headers})`, [queue]),
    ).rejects.toMatchObject({ code: "OX004", message });
    expect(await receive(database, queue)).toEqual([]);
  });
});
