/** A consumer whose handlers never end. Arguments: where it connects to as JSON, and the queue. */
import { createWorkflowClient } from "@oxbow/sdk";

const [connection = "{}", queue = ""] = process.argv.slice(2);
const client = createWorkflowClient(JSON.parse(connection) as object);
client.queues.consume(
  queue,
  ({ body }) => {
    process.stdout.write(`handling ${String(body)}\n`);
    return new Promise(() => {});
  },
  { visibilityTimeout: "2s" },
);
