/** A database on a Postgres of its own, for settings that change what others on the same server would see. */
import pg from "pg";
import { createInstalled, startCluster } from "./clusters.ts";
import type { TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";

/** The server stops at the end of the file. */
export async function createOwnCluster(
  settings: Readonly<Record<string, string>>,
): Promise<TestDatabase> {
  const cluster = await startCluster({ durable: false, settings });
  const name = "own";
  const url = await createInstalled(cluster, name);
  const clients: pg.Client[] = [];
  const leave = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
  };
  atFileEnd(async () => {
    await leave();
    await cluster.stop({ mode: "immediate" });
  });
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, application_name: "test" });
    clients.push(client);
    await client.connect();
    return client;
  };
  const own = await connect();
  return {
    name,
    url,
    connect,
    leave,
    query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await own.query<Row>(text, [...values])).rows,
  };
}
