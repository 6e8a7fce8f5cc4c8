/** A database with a worker of definitions and a server, and a client of each way to them. */
import { createDefinitions, definitionTools } from "@oxbow/declared";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { type RunningServer, startServer } from "@oxbow/server";
import { createCheckedClient } from "./checked-clients.ts";
import { createDatabase, type TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";

export interface ServedDefinitions {
  readonly database: TestDatabase;
  readonly server: RunningServer;
  /** Returns a client of the database itself, or of the server; by default, of the database. */
  readonly client: (way?: string) => WorkflowClient;
}

interface ServeOptions {
  readonly nodes: NonNullable<Parameters<typeof createDefinitions>[0]>["nodes"] & object;
  /** The client knows the node types by the definitions, rather than, like a server, by what workers have registered. */
  readonly knowsTypes?: boolean;
}

/** Ends at the end of the file. */
export async function serveDefinitions({
  nodes,
  knowsTypes = false,
}: ServeOptions): Promise<ServedDefinitions> {
  const database = await createDatabase();
  const server = await startServer({ url: database.url, port: 0, sweepIntervalMs: 0 });
  const definitions = createDefinitions({ nodes });
  const worker = definitions.serve({ url: database.url, logger: false });
  const tools = knowsTypes ? definitions.tools : definitionTools();
  const clients = new Map([
    ["straight", createCheckedClient({ url: database.url, tools })],
    ["remote", createWorkflowClient({ url: server.url })],
  ]);
  atFileEnd(async () => {
    await worker.stop();
    await Promise.all([...clients.values()].map((client) => client.close()));
    await server.stop();
  });
  return {
    database,
    server,
    client: (way = "straight") => {
      const found = clients.get(way);
      if (found === undefined) throw new Error(`no client ${way}`);
      return found;
    },
  };
}
