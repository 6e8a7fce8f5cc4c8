/** Which way clients and workers of a test go: straight to the database, through a server, or over two shards. */
import { createDatabase, type TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";
import { createFleet, queryAll, type TestFleet } from "./fleet.ts";

/** `OXBOW_TEST_TRANSPORT=http` runs what is written for the database's own transport through a server. */
export const isThroughServer = process.env["OXBOW_TEST_TRANSPORT"] === "http";

/** `OXBOW_TEST_TRANSPORT=shards` runs it over two shards. */
export const isOverShards = process.env["OXBOW_TEST_TRANSPORT"] === "shards";

/** Neither. Also for tests with separate databases or environments, which are the same in each run. */
export const isDirect = !isThroughServer && !isOverShards;

/** How many databases a test has. */
export const shardCount: number = isOverShards ? 2 : 1;

export interface TransportWay {
  /** For clients and workers. */
  readonly connection: { readonly url?: string; readonly shards?: TestFleet["shards"] };
  /** Url of the server or database; over shards, of the first. */
  readonly url: string;
  /**
   * The database of the test. Over shards, its statements run in all of them and their rows come one shard after the other;
   * its connections are to the first.
   */
  readonly database: TestDatabase;
}

/**
 * To be called before whatever connects to the database is set up, so that it ends after.
 *
 * @param given Default: a new database.
 */
export async function wayTo(given?: TestDatabase): Promise<TransportWay> {
  if (!isOverShards) {
    const database = given ?? (await createDatabase());
    const url = await transportUrl(database);
    return { connection: { url }, url, database };
  }
  const { shards, databases } = await createFleet(shardCount, given);
  const database = databases.a;
  const query = queryAll(Object.values(databases));
  const connect = (): ReturnType<TestDatabase["connect"]> => database.connect();
  const leave = (): Promise<void> => database.leave();
  const { name, url } = database;
  return { connection: { shards }, url, database: { name, url, query, connect, leave } };
}

/** The url for clients and workers; the database's own over shards, which have no single url. */
export async function transportUrl(database: TestDatabase): Promise<string> {
  if (!isThroughServer) return database.url;
  // Loaded only here, since that takes most of a second.
  const { startServer } = await import("@oxbow/server");
  const server = await startServer({ url: database.url, port: 0, sweepIntervalMs: 0 });
  atFileEnd(() => server.stop());
  return server.url;
}
