/**
 * A separate database for a test file: a copy of the template in which Oxbow is installed (`test-cluster.ts`).
 * It is dropped at the end of the file, which fails if it still has connections then.
 */
import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import pg from "pg";
import { expect, inject } from "vitest";
import { eventually } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";

export interface TestDatabase {
  readonly name: string;
  /** Connects as superuser. */
  readonly url: string;
  /** Runs a statement on a connection that belongs to the database, one after another; returns the rows. */
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** A separate session, for tests of the effects of two sessions on each other. Closed at the end of the file. */
  connect(): Promise<pg.Client>;
  /** Ends the sessions of `query` and `connect`. */
  leave(): Promise<void>;
}

export interface CreateDatabaseOptions {
  /** True for a database without Oxbow. */
  readonly empty?: boolean;
  /** The database to copy. Its sessions end first. */
  readonly copyOf?: TestDatabase;
  /** True for one that other files copy as well: it stays until the cluster of the run stops. */
  readonly stays?: boolean;
}

/** Makes a database for this file, anywhere in it: at the top level, in `beforeAll`, in a `setup()`, in a test. */
export async function createDatabase({
  empty = false,
  copyOf,
  stays = false,
}: CreateDatabaseOptions = {}): Promise<TestDatabase> {
  const name = uniqueName();
  await copyOf?.leave();
  const template = copyOf?.name ?? (empty ? "template1" : inject("templateDatabase"));
  // Copies files, which costs a third of writing each page to the log; only a crash of the machine needs that.
  await onCluster(`create database ${name} template ${template} strategy file_copy`);
  const database = new ClonedDatabase(name);
  if (!stays) atFileEnd(() => database.drop());
  return database;
}

class ClonedDatabase implements TestDatabase {
  readonly name: string;
  readonly url: string;
  #clients: pg.Client[] = [];
  #own: Promise<pg.Client> | undefined;
  /** Ends with the latest statement. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(name: string) {
    const url = new URL(inject("clusterUrl"));
    url.pathname = name;
    this.name = name;
    this.url = url.href;
  }

  query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const rows = this.#latest.then(async () => {
      this.#own ??= this.connect();
      const client = await this.#own;
      return (await client.query<Row>(text, [...values])).rows;
    });
    this.#latest = rows.catch(() => {});
    return rows;
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, application_name: "test" });
    // A test may end the session from without; its own queries then fail, which is enough.
    client.on("error", () => {});
    this.#clients.push(client);
    await client.connect();
    return client;
  }

  async leave(): Promise<void> {
    const clients = this.#clients;
    this.#clients = [];
    this.#own = undefined;
    await Promise.all(clients.map((client) => client.end()));
  }

  /** Drops the database; fails with the sessions that should have left it before. */
  async drop(): Promise<void> {
    await this.leave();
    const leaks = await this.#remainingSessions();
    await onCluster(`drop database ${this.name} with (force)`);
    if (leaks.length > 0) throw new Error(leaks.join("\n  "));
  }

  async #remainingSessions(): Promise<readonly string[]> {
    try {
      // A backend ends a moment after its client.
      await eventually(() => this.#sessions(), [], { withinMs: 10_000 });
      return [];
    } catch {
      return this.#sessions();
    }
  }

  async #sessions(): Promise<string[]> {
    const rows = await onCluster(
      `select format('connection of "%s" to %s, %s, last query: %s',
         application_name, datname, state, left(query, 200)) as session
       from pg_stat_activity
       where datname = '${this.name}' and backend_type = 'client backend'`,
    );
    return rows.map((row) => String(row["session"]));
  }
}

/** Makes and drops the databases of the file, one at a time: to connect takes a quarter of what a copy takes. */
let administrator: Promise<pg.Client> | undefined;
/** Ends with their latest statement. */
let administration: Promise<unknown> = Promise.resolve();

function onCluster(statement: string): Promise<Record<string, unknown>[]> {
  const rows = administration.then(async () => {
    administrator ??= connectAdministrator();
    const client = await administrator;
    return (await client.query<Record<string, unknown>>(statement)).rows;
  });
  administration = rows.catch(() => {});
  return rows;
}

const forgetAdministrator = (): void => void (administrator = undefined);

/** Registered before the databases that it makes, so that it ends after they are dropped. */
async function connectAdministrator(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: inject("clusterUrl") });
  // A test may end all sessions; the next statement connects again.
  client.on("error", forgetAdministrator);
  atFileEnd(async () => {
    forgetAdministrator();
    await client.end();
  });
  await client.connect();
  return client;
}

/** Begins with the name of the test file, so that pg_stat_activity shows the origin of a session. */
function uniqueName(): string {
  const file = basename(expect.getState().testPath ?? "test", ".test.ts");
  const slug = file.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  return `t_${slug.slice(0, 40)}_${randomBytes(4).toString("hex")}`;
}
