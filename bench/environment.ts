/** A separate, durable Postgres, the same for every system. */
import { migrate } from "@oxbow/sdk/internal/server";
import { type Cluster, startPostgres } from "@oxbow/sdk/testing";
import type pg from "pg";
import { connectTo } from "./measure/connect.ts";

const SETTINGS = { shared_buffers: "1GB", max_wal_size: "4GB", max_connections: "200" };

export const startServer = (): Promise<Cluster> =>
  startPostgres({ durable: true, settings: SETTINGS });

export interface Environment extends AsyncDisposable {
  readonly url: string;
  readonly database: pg.Client;
  /** Where the server keeps its files. */
  readonly directory: string;
}

/** A server, and a database with Oxbow in it. */
export async function prepare(): Promise<Environment> {
  const cluster = await startServer();
  const url = await cluster.createDatabase("bench");
  await migrate(url);
  const database = await connectTo(url);
  return {
    url,
    database,
    directory: cluster.dataDir,
    async [Symbol.asyncDispose]() {
      await database.end();
      await cluster.stop({ mode: "immediate" });
    },
  };
}
