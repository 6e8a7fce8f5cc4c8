import type { Client } from "pg";
import type { Subject } from "./subject.ts";

const QUEUE = "bench";
const GROUPS = 1_000;

async function recreate(database: Client, fifo: boolean): Promise<void> {
  const { rows } = await database.query("select from queue.list_queues() where name = $1", [QUEUE]);
  if (rows.length > 0) await database.query("select queue.drop_queue($1)", [QUEUE]);
  await database.query("select queue.create_queue($1, $2)", [QUEUE, fifo]);
}

async function acknowledge(client: Client, receipts: readonly string[]): Promise<void> {
  await client.query({
    name: "delete_batch",
    text: "select from queue.delete_batch($1, $2::bigint[])",
    values: [QUEUE, receipts],
  });
}

const receiveBy =
  (name: "receive" | "receive_fifo") =>
  async (client: Client, max: number): Promise<number> => {
    const { rows } = await client.query<{ receipt: string }>({
      name,
      text: `select * from queue.${name}($1, $2)`,
      values: [QUEUE, max],
    });
    if (rows.length > 0) {
      await acknowledge(
        client,
        rows.map(({ receipt }) => receipt),
      );
    }
    return rows.length;
  };

export const standardQueue: Subject = {
  name: "standard queue",
  create: (database) => recreate(database, false),
  send: async (client, message) => {
    const text = "select queue.send($1, $2)";
    await client.query({ name: "send", text, values: [QUEUE, message] });
  },
  sendBatch: async (client, messages) => {
    const text = "select from queue.send_batch($1, $2::jsonb[])";
    await client.query({ name: "send_batch", text, values: [QUEUE, messages] });
  },
  receiveAndAck: receiveBy("receive"),
};

let sent = 0;
const nextGroup = (): string => {
  sent += 1;
  return `group ${sent % GROUPS}`;
};

export const fifoQueue: Subject = {
  name: "FIFO queue, 1,000 groups",
  create: (database) => recreate(database, true),
  send: async (client, message) => {
    const text = "select queue.send_fifo($1, $2, $3)";
    await client.query({ name: "send_fifo", text, values: [QUEUE, message, nextGroup()] });
  },
  sendBatch: async (client, messages) => {
    // Without the checks of send_fifo_batch(), so that older versions can be measured too.
    const text = "select from queue._send_fifo($1, $2::jsonb[], $3::text[], '0', null)";
    const values = [QUEUE, messages, messages.map(nextGroup)];
    await client.query({ name: "send_fifo_batch", text, values });
  },
  receiveAndAck: receiveBy("receive_fifo"),
};
