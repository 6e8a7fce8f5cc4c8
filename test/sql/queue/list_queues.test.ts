import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue } from "../../helpers/queues.ts";

const database = await createDatabase();

describe("list_queues", () => {
  it("shows settings, and leaves out the queues of workflows", async () => {
    await database.query("select queue.workflow_start('listed', '{}')");
    const letters = await newQueue(database);
    const orders = await newQueue(database, {
      fifo: true,
      visibilityTimeout: 60,
      maxReceives: 5,
      deadLetterQueue: letters,
    });
    const queues = await database.query("select * from queue.list_queues()");
    const expected = [
      {
        name: letters,
        kind: "standard",
        visibility_timeout: 30,
        max_receives: null,
        dead_letter_queue: null,
        created_at: expect.any(Date) as Date,
        retention_seconds: null,
        suspected_at: null,
        delay_seconds: 0,
        deduplication_scope: "queue",
        grouped_at: null,
        sqs_name: null,
      },
      {
        name: orders,
        kind: "fifo",
        visibility_timeout: 60,
        max_receives: 5,
        dead_letter_queue: letters,
        created_at: expect.any(Date) as Date,
        retention_seconds: null,
        suspected_at: null,
        delay_seconds: 0,
        deduplication_scope: "queue",
        grouped_at: null,
        sqs_name: null,
      },
    ];
    expect(queues).toEqual(expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });
});
