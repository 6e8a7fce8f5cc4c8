/**
 * A database for the examples: that of `QUEUE_URL`, if it is set, else one on a Postgres that is started for it and
 * gone afterwards. Oxbow is installed in it either way.
 */
import { initFleet } from "@oxbow/fleet/internal";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";

export interface Database extends AsyncDisposable {
  readonly url: string;
}

/**
 * @example
 * await using database = await startDatabase();
 */
export async function startDatabase(): Promise<Database> {
  const given = process.env["QUEUE_URL"] ?? "";
  if (given !== "") {
    await migrate(given);
    return { url: given, [Symbol.asyncDispose]: async () => {} };
  }
  const cluster = await startPostgres();
  const url = await cluster.createDatabase("examples");
  await migrate(url);
  return { url, [Symbol.asyncDispose]: () => cluster.stop() };
}

export interface Shards extends AsyncDisposable {
  /** Urls by the names of the shards. */
  readonly shards: Readonly<Record<string, string>>;
}

/** Databases of a Postgres of their own as the shards of a fleet: what `oxbow shards init` does. */
export async function startShards(...names: readonly string[]): Promise<Shards> {
  const cluster = await startPostgres();
  const shards = [];
  for (const name of names) {
    const url = await cluster.createDatabase(`shard_${name}`);
    await migrate(url);
    shards.push({ name, url });
  }
  await initFleet(shards);
  return {
    shards: Object.fromEntries(shards.map(({ name, url }) => [name, url])),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}
