/** A fleet of databases for a test file: shards "a", "b", … */
import { initFleet } from "@oxbow/fleet/internal";
import type { StartRequest } from "@oxbow/sdk/internal/server";
import { createDatabase, type CreateDatabaseOptions, type TestDatabase } from "./database.ts";
import { value } from "./value.ts";

export interface TestFleet {
  /** Databases by the names of the shards, of which tests have four at most. */
  readonly databases: Readonly<
    Record<string, TestDatabase> & Record<"a" | "b" | "c" | "d", TestDatabase>
  >;
  /** For `shards` of clients and workers. */
  readonly shards: Readonly<Record<string, string>>;
}

/**
 * Fleets that this process copies, by the number of their shards: a shard doesn't know the url of any, and to join takes
 * as long as to copy.
 */
const originals = new Map<number, Promise<readonly TestDatabase[]>>();

/** @param first The database that becomes shard "a". Default: a new one, of a copy, which is the same fleet as other copies. */
export async function createFleet(count = 2, first?: TestDatabase): Promise<TestFleet> {
  const databases = await (first === undefined
    ? copyFleet(count)
    : joinFleet(Promise.resolve(first), ...newDatabases(count - 1)));
  return {
    databases: Object.fromEntries(
      databases.map((database, index) => [nameOf(index), database]),
    ) as TestFleet["databases"],
    shards: Object.fromEntries(databases.map(({ url }, index) => [nameOf(index), url])),
  };
}

async function copyFleet(count: number): Promise<readonly TestDatabase[]> {
  const original = originals.get(count) ?? joinFleet(...newDatabases(count, { stays: true }));
  originals.set(count, original);
  return Promise.all((await original).map((copyOf) => createDatabase({ copyOf })));
}

const newDatabases = (count: number, options?: CreateDatabaseOptions): Promise<TestDatabase>[] =>
  Array.from({ length: count }, () => createDatabase(options));

async function joinFleet(
  ...created: readonly Promise<TestDatabase>[]
): Promise<readonly TestDatabase[]> {
  const databases = await Promise.all(created);
  await initFleet(databases.map(({ url }, index) => ({ name: nameOf(index), url })));
  return databases;
}

const nameOf = (index: number): string => String.fromCodePoint(97 + index);

/** As commands take shards: `a=url b=url`. */
export const pairsOf = (shards: TestFleet["shards"]): string[] =>
  Object.entries(shards).map(([name, url]) => `${name}=${url}`);

/** Runs each statement in all databases, one after the other; returns the rows of all. */
export function queryAll(databases: readonly TestDatabase[]): TestDatabase["query"] {
  return async (text, values) => {
    const rows = [];
    for (const database of databases) {
      // A script of several statements returns no rows.
      const found: unknown[] | undefined = await database.query(text, values);
      rows.push(...(found ?? []));
    }
    return rows as never;
  };
}

/** A start in as few words as a test needs. */
export const startRequest = (
  request: Pick<StartRequest, "workflow" | "input" | "idempotencyKey" | "route">,
): StartRequest => ({
  version: undefined,
  retentionDays: undefined,
  delayMs: undefined,
  deadline: undefined,
  tags: undefined,
  onRunning: undefined,
  onEnded: undefined,
  flowKey: undefined,
  priority: undefined,
  ...request,
});

/** Starts a run in a shard, with its route and its idempotency key, if any. Returns its id. */
export const startRouted = (
  database: TestDatabase,
  workflow: string,
  route?: string | null,
  key?: string,
): Promise<string> =>
  value(database, "(queue.workflow_start($1, route => $2, idempotency_key => $3)).run_id::text", [
    workflow,
    route ?? null,
    key ?? null,
  ]);

/** Routes that are at home in a shard, each of which begins with a prefix. */
export async function routesAt(
  database: TestDatabase,
  shard: string,
  prefix = "r",
): Promise<[string, ...string[]]> {
  const rows = await database.query<{ route: string }>(
    "select $1::text || n as route from generate_series(1, 99) as n where queue.home_of($1 || n) = $2 order by n",
    [prefix, shard],
  );
  return rows.map(({ route }) => route) as [string, ...string[]];
}
