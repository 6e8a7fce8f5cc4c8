/** Workflows in a test: a database with a client, and workers that are stopped at the end of the file. */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { createWorker, type Logger, type Worker, type WorkerOptions } from "@oxbow/sdk/runtime";
import type { TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";
import { type TransportWay, wayTo } from "./transport.ts";

export interface WorkflowBench extends TransportWay {
  readonly client: WorkflowClient;
  readonly serve: (
    workflows: WorkerOptions["workflows"],
    options?: Partial<WorkerOptions>,
  ) => Worker;
  /** What `check_invariants()` finds. */
  readonly violations: () => Promise<unknown[]>;
}

/** Tests make steps and runs fail on purpose: only the worker's own troubles are warnings, as they are by default. */
const troublesOnly: Logger = {
  debug() {},
  info() {},
  warn() {},
  error(message, fields) {
    if (fields === undefined) process.emitWarning(message.replace("oxbow: ", ""), "OxbowWarning");
  },
};

/** @param given Default: a new one. */
export async function setupWorkflows(given?: TestDatabase): Promise<WorkflowBench> {
  const { connection, url, database } = await wayTo(given);
  const client = createWorkflowClient(connection);
  const workers: Worker[] = [];
  atFileEnd(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await client.close();
  });
  return {
    connection,
    database,
    url,
    client,
    serve: (workflows, options = {}) => {
      // A test may give the url of a server.
      const way = options.url === undefined ? connection : {};
      const worker = createWorker({ logger: troublesOnly, ...way, ...options, workflows });
      workers.push(worker);
      return worker;
    },
    violations: () => database.query("select * from queue.check_invariants()"),
  };
}
