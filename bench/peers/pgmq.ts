import { readFile } from "node:fs/promises";
import type pg from "pg";
import { connectTo } from "../measure/connect.ts";
import type { System } from "../systems/system.ts";

const QUEUE = "bench";
const LOOPS = 4;
const BATCH = 500;
const VISIBILITY_S = 30;
/** Pace of the loop inside of the server that waits for messages. */
const WAIT = { seconds: 5, pollMs: 10 };

async function remove(client: pg.Client, rows: readonly { msg_id: string }[]): Promise<number> {
  if (rows.length === 0) return 0;
  const { rowCount } = await client.query({
    name: "delete",
    text: "select * from pgmq.delete($1, $2::bigint[])",
    values: [QUEUE, rows.map(({ msg_id: id }) => id)],
  });
  return rowCount ?? 0;
}

export const system: System = {
  install: async (url) => {
    const client = await connectTo(url);
    await client.query(await readFile(process.env["PGMQ_SQL"] ?? "", "utf8"));
    await client.end();
    return url;
  },
  queues: {
    connect: async (url) => {
      const client = await connectTo(url);
      await client.query("select pgmq.create($1)", [QUEUE]);
      return {
        send: async (message) => {
          const text = "select * from pgmq.send($1, $2::jsonb)";
          await client.query({ name: "send", text, values: [QUEUE, JSON.stringify(message)] });
        },
        sendBatch: async (messages) => {
          const text = "select * from pgmq.send_batch($1, $2::jsonb[])";
          const texts = messages.map((message) => JSON.stringify(message));
          await client.query({ name: "send_batch", text, values: [QUEUE, texts] });
        },
        close: () => client.end(),
      };
    },
    prepareDrain: async (url, { messages }) => {
      const clients = await Promise.all(Array.from({ length: LOOPS }, () => connectTo(url)));
      return async () => {
        let acknowledged = 0;
        const receiveAndAck = async (client: pg.Client): Promise<void> => {
          while (acknowledged < messages) {
            const { rows } = await client.query<{ msg_id: string }>({
              name: "read",
              text: "select * from pgmq.read($1, $2, $3)",
              values: [QUEUE, VISIBILITY_S, BATCH],
            });
            const removed = await remove(client, rows);
            acknowledged += removed;
          }
        };
        await Promise.all(clients.map(receiveAndAck));
      };
    },
    listen: async (url, onMessage) => {
      const client = await connectTo(url);
      const stopping = new AbortController();
      const consume = async (): Promise<void> => {
        while (!stopping.signal.aborted) {
          const { rows } = await client.query<{ msg_id: string }>({
            name: "read_with_poll",
            text: "select * from pgmq.read_with_poll($1, $2, 1, $3, $4)",
            values: [QUEUE, VISIBILITY_S, WAIT.seconds, WAIT.pollMs],
          });
          if (rows.length > 0) onMessage();
          await remove(client, rows);
        }
      };
      const consuming = consume();
      return async () => {
        stopping.abort();
        await consuming;
        await client.end();
      };
    },
  },
};
