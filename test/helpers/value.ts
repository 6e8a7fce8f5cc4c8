import type { TestDatabase } from "./database.ts";

/** The value of an expression in a database. */
export async function value<Value>(
  database: TestDatabase,
  sql: string,
  values: unknown[] = [],
): Promise<Value> {
  const [row] = await database.query<{ value: Value }>(`select ${sql} as value`, values);
  return row?.value as Value;
}
