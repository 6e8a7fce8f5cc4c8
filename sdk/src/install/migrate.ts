/**
 * Installs Oxbow into a database, or brings an installation up to this release.
 *
 * The script makes the checks (`extension-sql/plain/before.sql`) and does the work (`extension-sql/src/admin/migrate.sql`),
 * so that running it by psql has both; here is what goes around it: one transaction, the dry run, and the database in
 * which Oxbow is an extension.
 */
import { readFile } from "node:fs/promises";
import type pg from "pg";
import { InvalidArgument } from "../core/errors.ts";
import { withClient } from "./connect.ts";
import {
  findInstallation,
  type Installation,
  isOlder,
  readValue,
  releaseVersion,
} from "./installation.ts";

/** The work that `migrate` did, or would do. */
export interface MigrationReport {
  readonly installedBy: Installation["installedBy"];
  /** Version of the functions before; absent for a first installation. */
  readonly from?: string;
  /** Version of the functions now. */
  readonly to: string;
  /** How many changes of state were applied. */
  readonly applied: number;
  /** Those changes, in order; empty where the functions are of another release than this one. */
  readonly migrations: readonly MigrationFacts[];
}

/** A change of state. */
interface MigrationFacts {
  readonly version: number;
  readonly name: string;
  /** Its purpose: the first sentence of its comment. */
  readonly title: string;
  /** Size of its SQL. */
  readonly bytes: number;
}

export interface MigrateOptions {
  /** True to do everything and take it back again. */
  readonly dryRun?: boolean;
}

/**
 * Creates or upgrades schema `queue`, in one transaction. Safe to call at every start of a program, and by many
 * concurrently.
 *
 * @param database a url, or a connected `pg` client that is in no transaction
 * @throws InvalidArgument if the database has another encoding than UTF8; the database's error: among others `OX006` if schema `queue` isn't Oxbow's, or was made by the script of a newer release. An extension of a newer release is left as it is.
 */
export async function migrate(
  database: string | pg.ClientBase,
  { dryRun = false }: MigrateOptions = {},
): Promise<MigrationReport> {
  return withClient(database, (client) => migrateOver(client, dryRun));
}

async function migrateOver(client: pg.ClientBase, dryRun: boolean): Promise<MigrationReport> {
  await client.query("begin");
  try {
    await requireUtf8(client);
    // Two concurrent first installations would both find no schema.
    await client.query("select pg_advisory_xact_lock(hashtextextended('oxbow install', 0))");
    const before = await findInstallation(client);
    const applied = await bringUp(client, before);
    const after = await findInstallation(client);
    await client.query(dryRun ? "rollback" : "commit");
    return {
      installedBy: after?.installedBy ?? "script",
      ...(before !== undefined && { from: before.version }),
      to: after?.version ?? "",
      applied,
      migrations: await appliedMigrations(applied, after?.version),
    };
  } catch (error) {
    // On a lost connection this fails as well; the first error is the relevant one.
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** The script, which checks this too, has characters that other encodings lack, so it would not get there. */
async function requireUtf8(client: pg.ClientBase): Promise<void> {
  const encoding = String(await readValue(client, "show server_encoding"));
  if (encoding === "UTF8") return;
  const database = String(await readValue(client, "select current_database()"));
  throw new InvalidArgument(
    `Database "${database}" has the encoding ${encoding}, and Oxbow needs UTF8: create a database with \`encoding 'UTF8' template template0\`, and install Oxbow there.`,
  );
}

/** The newest ones of this release: what an older state lacks are always the last. */
async function appliedMigrations(
  applied: number,
  version: string | undefined,
): Promise<readonly MigrationFacts[]> {
  const release = await readRelease();
  if (applied === 0 || release.version !== version) return [];
  return release.migrations.slice(-applied);
}

/** The state of the tables of a database that is migrated to this release, as `queue.shard_identity` returns it. */
export async function releaseState(): Promise<string> {
  const { migrations } = await readRelease();
  return `state_${String(migrations.length).padStart(4, "0")}`;
}

async function readRelease(): Promise<{ version: string; migrations: MigrationFacts[] }> {
  const text = await readFile(new URL("../../sql/migrations.json", import.meta.url), "utf8");
  return JSON.parse(text) as { version: string; migrations: MigrationFacts[] };
}

/** Returns the number of migrations that were applied. */
async function bringUp(client: pg.ClientBase, before: Installation | undefined): Promise<number> {
  // The functions of an extension are ALTER EXTENSION's to replace; its tables are made like any others.
  if (before?.installedBy === "extension") {
    await updateExtension(client, before.version);
    return Number(await readValue(client, "select queue.migrate()"));
  }
  const script = await readFile(new URL("../../sql/oxbow.sql", import.meta.url), "utf8");
  // A query of many statements has many results; the last is that of queue.migrate().
  const results: unknown = await client.query({ text: script, rowMode: "array" });
  const last = Array.isArray(results) ? (results.at(-1) as pg.QueryArrayResult) : undefined;
  return Number(last?.rows[0]?.[0]);
}

/** Replaces the functions, if the extension is older than this release. */
async function updateExtension(client: pg.ClientBase, installed: string): Promise<void> {
  const release = await releaseVersion();
  if (!isOlder(installed, release)) return;
  const files = "select from pg_available_extension_versions where name = 'oxbow' and version = $1";
  const { rowCount } = await client.query(files, [release]);
  if (rowCount === 0) {
    throw new Error(
      `Oxbow ${installed} is installed as an extension, and the database server has no files of Oxbow ${release}: ` +
        "install them there (make install), then run `oxbow migrate` again, or ALTER EXTENSION oxbow UPDATE and SELECT queue.migrate().",
    );
  }
  try {
    await client.query(`alter extension oxbow update to '${release}'`);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== "42501") throw error;
    throw new Error(
      `Oxbow ${installed} is installed as an extension, which this role may not update: ` +
        "run ALTER EXTENSION oxbow UPDATE and SELECT queue.migrate() as its owner.",
      { cause: error },
    );
  }
}
