/** Resources for tests: a table of an application, and documents that name its rows. */
import { randomBytes } from "node:crypto";
import type { TestDatabase } from "./database.ts";
import { newDefinitionName, type TestDocument } from "./definitions.ts";
import type { Queryable } from "./queues.ts";

export interface TestResources {
  /** Their type, which is that of the table too. */
  readonly type: string;
  /** Schema and name. */
  readonly table: string;
}

const suffix = (): string => randomBytes(6).toString("hex");

export const newResourceType = (): string => `Severity${suffix()}`;

/** Creates a table of an application with these ids, not protected. */
export async function createResources(
  database: TestDatabase,
  ids: readonly string[],
  { column = "id text primary key" }: { readonly column?: string } = {},
): Promise<TestResources> {
  const type = newResourceType();
  const table = `public."severity ${suffix()}"`;
  await database.query(`create table ${table} (${column}, name text)`);
  for (const id of ids) await database.query(`insert into ${table} values ($1, 'a name')`, [id]);
  return { type, table };
}

export async function protectedResources(
  database: TestDatabase,
  ids: readonly string[],
  options: { readonly column?: string } = {},
): Promise<TestResources> {
  const resources = await createResources(database, ids, options);
  await protect(database, resources);
  return resources;
}

export async function protect(
  on: Queryable,
  { type, table }: TestResources,
  column = "id",
): Promise<boolean> {
  const [row] = await on.query("select queue.protect_resource($1, $2::regclass, $3) as value", [
    type,
    table,
    column,
  ]);
  return row?.["value"] === true;
}

/** A document that can be published, and names a resource in its output. */
export const documentNaming = (
  type: string,
  id: string,
  name: string = newDefinitionName(),
): TestDocument => ({
  format: 1,
  name,
  title: "Page",
  nodes: { done: { type: "end@1", params: { output: { severity: { $resource: { type, id } } } } } },
});

/** Where `documentNaming` names it. */
export const POINTER = "/nodes/done/params/output/severity";

export const referencesTo = (
  on: Queryable,
  type: string,
  id: string,
): Promise<readonly Record<string, unknown>[]> =>
  on.query(
    "select owner_type, owner_id, title, version, state, pointer, protects from queue.references_to($1, $2)",
    [type, id],
  );
