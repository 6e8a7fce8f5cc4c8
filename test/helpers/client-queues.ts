/** Queues by the SDK in a test: a database with a client, which is closed at the end of the file. */
import { type ClientOptions, createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { createDatabase, type TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";
import { transportUrl } from "./transport.ts";

export interface QueueBench {
  readonly database: TestDatabase;
  readonly client: WorkflowClient;
  readonly queues: WorkflowClient["queues"];
}

export async function setupQueues(options: ClientOptions = {}): Promise<QueueBench> {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: await transportUrl(database), ...options });
  atFileEnd(async () => {
    await client.close();
    return [];
  });
  return { database, client, queues: client.queues };
}

/** 0, 1, 2 … and so on, so many. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
