import pg from "pg";
import { onTestFinished } from "vitest";

/** Connects to any database until the end of the test. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
