import { fileURLToPath } from "node:url";
import { migrate } from "@oxbow/sdk/internal/server";
import { type Cluster, type PostgresOptions, startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installDebianExtension } from "../helpers/debian-extension.ts";
import { debianPostgres } from "../helpers/debian-postgres.ts";
import { catalogSnapshot } from "./catalog-snapshot.ts";

const EXTENSION = fileURLToPath(new URL("../../extension-sql", import.meta.url));

/** The same behaviour on every server: what differs is how the extension's files come to it. */
function theTwoInstallations(start: () => Promise<Cluster>): void {
  let cluster: Cluster;
  let byExtension: pg.Client;
  let byScript: pg.Client;

  beforeAll(async () => {
    cluster = await start();
    byExtension = await connect(await cluster.createDatabase("by_extension"));
    byScript = await connect(await cluster.createDatabase("by_script"));
    await byExtension.query("create extension oxbow");
    await byExtension.query("select queue.migrate()");
    await migrate(byScript);
  });

  afterAll(async () => {
    await byExtension.end();
    await byScript.end();
    await cluster.stop({ mode: "immediate" });
  });

  it("give the same catalogs", async () => {
    const snapshot = await catalogSnapshot(byScript);
    expect(snapshot.length).toBeGreaterThan(100);
    expect(await catalogSnapshot(byExtension)).toEqual(snapshot);
  });

  it("leave the tables out of the extension, so that pg_dump keeps their rows", async () => {
    const { rows } = await byExtension.query(
      `select c.relname
       from pg_depend as d join pg_class as c on c.oid = d.objid and d.classid = 'pg_class'::regclass
       where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and c.relkind <> 'c'
         and c.relnamespace = 'queue'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });

  it("put every function into the extension", async () => {
    const { rows } = await byExtension.query(
      `select p.oid::regprocedure::text as function
       from pg_proc as p
       where p.pronamespace = 'queue'::regnamespace
         and not exists (
           select from pg_depend as d
           where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    );
    expect(rows).toEqual([]);
  });
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

describe("extension and script on the embedded Postgres", () => {
  const options: PostgresOptions = { durable: false, extensionDir: `${EXTENSION}/dist` };
  theTwoInstallations(() => startPostgres(options));
});

describe.runIf(debianPostgres.isInstalled && debianPostgres.canInstallExtensions)(
  "extension and script on Debian's Postgres, into which `make install` puts the files (as root)",
  () => {
    let uninstall: () => void;
    theTwoInstallations(async () => {
      uninstall = await installDebianExtension();
      return startPostgres({ durable: false, binDir: debianPostgres.binDir });
    });
    afterAll(() => uninstall());
  },
);
