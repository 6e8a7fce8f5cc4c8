import pg from "pg";

/** Calls `use` with a connection: one of its own if given a url, else the one that is given. */
export async function withClient<Result>(
  database: string | pg.ClientBase,
  use: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  if (typeof database !== "string") return use(database);
  const client = new pg.Client({ connectionString: database, application_name: "oxbow" });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
