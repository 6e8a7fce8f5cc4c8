import pg from "pg";

/** Connects to a database. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Gives some work a number of connections, which end with it. */
export async function withConnections<Result>(
  url: string,
  count: number,
  work: (clients: readonly pg.Client[]) => Promise<Result>,
): Promise<Result> {
  const clients = await Promise.all(Array.from({ length: count }, () => connectTo(url)));
  try {
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}
