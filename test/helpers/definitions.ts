/** Definitions for tests of the SQL functions, by nothing but these functions. */
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { only, type Queryable } from "./queues.ts";

export interface TestDocument {
  readonly format: 1;
  readonly name: string;
  readonly title?: string;
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly edges?: readonly unknown[];
  readonly settings?: unknown;
}

export const newDefinitionName = (): string => `d-${randomBytes(6).toString("hex")}`;

/** A document that can be published: it ends with what is given, or with 1. */
export const documentOf = (name: string, output: unknown = 1): TestDocument => ({
  format: 1,
  name,
  nodes: { done: { type: "end@1", params: { output } } },
});

export async function createDefinition(
  on: Queryable,
  document: TestDocument,
  actor?: string,
): Promise<number> {
  const rows = await on.query<{ revision: number }>(
    "select queue.definition_create($1, $2, actor => $3) as revision",
    [document.name, JSON.stringify(document), actor ?? null],
  );
  return only(rows).revision;
}

export async function saveDraft(
  on: Queryable,
  document: TestDocument,
  revision: number,
  actor?: string,
): Promise<number> {
  const rows = await on.query<{ revision: number }>(
    "select queue.definition_save_draft($1, $2, $3, $4) as revision",
    [document.name, JSON.stringify(document), revision, actor ?? null],
  );
  return only(rows).revision;
}

export async function publishDefinition(
  on: Queryable,
  name: string,
  revision: number,
  { actor, compiled }: { readonly actor?: string; readonly compiled?: unknown } = {},
): Promise<{ version: number; created: boolean }> {
  return only(
    await on.query<{ version: number; created: boolean } & pg.QueryResultRow>(
      "select version, created from queue.definition_publish($1, $2, $3, actor => $4)",
      [name, revision, compiled === undefined ? null : JSON.stringify(compiled), actor ?? null],
    ),
  );
}

/** Creates and publishes a definition; returns its name. */
export async function publishedDefinition(
  on: Queryable,
  document: TestDocument = documentOf(newDefinitionName()),
): Promise<string> {
  await publishDefinition(on, document.name, await createDefinition(on, document));
  return document.name;
}

/** The code that a statement is refused with; null if it is not. */
export const codeOf = (statement: Promise<unknown>): Promise<unknown> =>
  statement.then(
    () => null,
    (error: { readonly code?: unknown }) => error.code,
  );

export async function definition(
  on: Queryable,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  return only(await on.query("select * from queue.definition_get($1)", [name]));
}
