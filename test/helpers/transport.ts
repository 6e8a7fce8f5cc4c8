/** Which way clients and workers of a test go: straight to the database, or through a server. */
import type { TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";

/** `OXBOW_TEST_TRANSPORT=http` runs what is written for the database's own transport through a server. */
export const isThroughServer = process.env["OXBOW_TEST_TRANSPORT"] === "http";

/** The url for clients and workers. To be called before whatever connects to it is set up, so that it ends after. */
export async function transportUrl(database: TestDatabase): Promise<string> {
  if (!isThroughServer) return database.url;
  // Loaded here alone, since that takes most of a second.
  const { startServer } = await import("@oxbow/server");
  const server = await startServer({ url: database.url, port: 0, sweepIntervalMs: 0 });
  atFileEnd(async () => {
    await server.stop();
    return [];
  });
  return server.url;
}
