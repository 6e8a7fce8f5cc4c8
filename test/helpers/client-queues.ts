/** Queues by the SDK in a test: a database with a client, which is closed at the end of the file. */
import { type ClientOptions, createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";
import { type TransportWay, wayTo } from "./transport.ts";

export interface QueueBench {
  readonly database: TestDatabase;
  /** For more clients. */
  readonly connection: TransportWay["connection"];
  readonly client: WorkflowClient;
  readonly queues: WorkflowClient["queues"];
}

export async function setupQueues(options: ClientOptions = {}): Promise<QueueBench> {
  const { connection, database } = await wayTo();
  const client = createWorkflowClient({ ...connection, ...options });
  atFileEnd(() => client.close());
  return { database, connection, client, queues: client.queues };
}

/** 0, 1, 2 … and so on, so many. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
