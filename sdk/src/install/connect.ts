import { Servers } from "../transport/postgres/connection/servers.ts";
import type pg from "pg";

/** Calls `use` with a connection: a new one for a url, else the given one. */
export async function withClient<Result>(
  database: string | pg.ClientBase,
  use: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  if (typeof database !== "string") return use(database);
  const client = await new Servers(database).connect({ application_name: "oxbow" });
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
