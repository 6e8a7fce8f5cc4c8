import pg from "pg";

export interface CreateDatabaseOptions {
  /** Database to copy; it must have no connections. */
  readonly template?: string;
}

export async function createDatabase(
  url: string,
  name: string,
  { template = "template1" }: CreateDatabaseOptions,
): Promise<void> {
  await execute(
    url,
    `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`,
  );
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  await execute(url, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // The statement reports it.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
