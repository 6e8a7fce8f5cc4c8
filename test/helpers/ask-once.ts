/** Queries on separate connections: for databases that are killed between one and the next. */
import pg from "pg";

export const askOnce =
  (url: string) =>
  async (text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
