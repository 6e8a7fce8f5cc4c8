/** A consumer whose handlers never end. Arguments: url, queue. */
import { createWorkflowClient } from "@oxbow/sdk";

const [url = "", queue = ""] = process.argv.slice(2);
const client = createWorkflowClient({ url });
client.queues.consume(
  queue,
  ({ body }) => {
    process.stdout.write(`handling ${String(body)}\n`);
    return new Promise(() => {});
  },
  { visibilityTimeout: "2s" },
);
