/** A consumer of a queue of numbers, which ends its process at the number 0. Arguments: its url, the database, queue. */
import { createWorkflowClient } from "@oxbow/sdk";
import pg from "pg";
import { setTimeout as delay } from "node:timers/promises";

const [url = "", database = "", queue = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: database, max: 2 });
const client = createWorkflowClient({ url });

client.queues.consume<number>(
  queue,
  async ({ body }) => {
    if (body === 0) process.kill(process.pid, "SIGKILL");
    await delay(200);
    await pool.query("insert into handled (n) values ($1)", [body]);
  },
  { visibilityTimeout: "2s" },
);
