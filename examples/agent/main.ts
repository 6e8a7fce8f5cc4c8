/** `npm start`: a database, a worker process that is started again when it dies, and the page. Ends with Ctrl-C. */
import { createWorkflowClient } from "@oxbow/sdk";
import pg from "pg";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startDatabase } from "../database.ts";
import { WorkerProcess } from "../demo/worker-process.ts";
import { startApplication } from "./server.ts";
import { TABLES } from "./shop.ts";

const WORKER = new URL("worker.ts", import.meta.url);
const PAGE = fileURLToPath(new URL("dist", import.meta.url));
const NAMES = ["Olga", "Bert"];

const interrupted = once(process, "SIGINT");
await using database = await startDatabase();
const tables = new pg.Client({ connectionString: database.url });
await tables.connect();
await tables.query(TABLES);
await tables.end();

await using client = createWorkflowClient({ url: database.url });
await using application = await startApplication(client, {
  page: PAGE,
  port: Number(process.env["PORT"] ?? "3000"),
});
console.log(`Open ${application.url}`);

let isEnding = false;
let worker = startWorker(0);
await interrupted;
isEnding = true;
await worker.stop();

/** A worker process. When it is killed, another one takes its place. */
function startWorker(n: number): WorkerProcess<unknown> {
  const env = { ASSISTANT: NAMES[n % NAMES.length] ?? "" };
  const started = new WorkerProcess(WORKER, database.url, () => {}, env);
  console.log(
    `The worker is process ${started.pid}. To kill it in mid-answer: kill -9 ${started.pid}`,
  );
  void started.ended.then(() => {
    if (!isEnding) worker = startWorker(n + 1);
  });
  return started;
}
