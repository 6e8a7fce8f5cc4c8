/** A durable Postgres of its own, Oxbow in it, one worker process and one client. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { migrate } from "@oxbow/sdk/internal";
import { startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";

export interface Environment extends AsyncDisposable {
  readonly url: string;
  readonly database: pg.Client;
  readonly client: WorkflowClient;
  /** Starts a worker process; the function that it resolves with ends it. */
  readonly startWorker: (concurrency?: number, through?: string) => Promise<() => Promise<void>>;
}

export async function prepare(): Promise<Environment> {
  const cluster = await startPostgres({
    durable: true,
    settings: { shared_buffers: "512MB", max_wal_size: "4GB", max_connections: "120" },
  });
  const url = await cluster.createDatabase("bench");
  await migrate(url);
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const client = createWorkflowClient({ url });
  return {
    url,
    database,
    client,
    startWorker: (concurrency = 200, through = url) => startWorker(through, concurrency),
    async [Symbol.asyncDispose]() {
      await client.close();
      await database.end();
      await cluster.stop({ mode: "immediate" });
    },
  };
}

async function startWorker(url: string, concurrency: number): Promise<() => Promise<void>> {
  const script = fileURLToPath(new URL("worker.ts", import.meta.url));
  const flags = ["--import", "tsx", "--conditions=oxbow-source"];
  const child = spawn(process.execPath, [...flags, script, url, String(concurrency)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return async () => {
    child.kill("SIGTERM");
    await once(child, "close");
  };
}
