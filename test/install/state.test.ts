import { readFileSync } from "node:fs";
import { migrate } from "@oxbow/sdk/internal/server";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { catalogSnapshot } from "./catalog-snapshot.ts";

const SCRIPT = readFileSync(new URL("../../sdk/sql/oxbow.sql", import.meta.url), "utf8");
const MIGRATE = /\nselect queue\.migrate\(\);\s*$/;
const LATEST = Number(/v_latest constant integer := (\d+);/.exec(SCRIPT)?.[1]);

const marker = (version: number): string => `queue.state_${String(version).padStart(4, "0")}`;

/** The functions of the next release, whose migration changes rows and creates nothing. */
function nextRelease(): string {
  const step = `
  if v_current < ${LATEST + 1} then
    execute $next$ update queue.queue set retention_seconds = 60 where name = 'orders' $next$;
    insert into queue.migration (applied_at, version, name)
    values (clock_timestamp(), ${LATEST + 1}, 'next');
  end if;

  perform queue._create_state_markers(v_latest);`;
  return SCRIPT.replace(MIGRATE, "")
    .replace("perform queue._create_state_markers(v_latest);", () => step)
    .replace(
      `v_latest constant integer := ${LATEST};`,
      `v_latest constant integer := ${LATEST + 1};`,
    )
    .replaceAll(marker(LATEST), marker(LATEST + 1));
}

async function installFunctionsOf(release: string, client: pg.ClientBase): Promise<void> {
  await client.query(`begin; ${release}; commit`);
}

describe("tables that are a migration behind the functions", () => {
  it("follow at the next call that writes, even if the migration creates no relation", async () => {
    const client = await (await createDatabase()).connect();
    await client.query("select queue.create_queue('orders')");
    await installFunctionsOf(nextRelease(), client);
    await expect(client.query("select * from queue.list_queues()")).rejects.toMatchObject({
      code: "OX006",
    });

    await client.query("select queue.send('orders', '1')");
    const { rows } = await client.query("select retention_seconds from queue.list_queues()");
    expect(rows).toEqual([{ retention_seconds: 60 }]);
  });

  it("work with functions of the previous release once they are ahead", async () => {
    const client = await (await createDatabase()).connect();
    await installFunctionsOf(nextRelease(), client);
    await client.query("select queue.migrate()");
    await installFunctionsOf(SCRIPT.replace(MIGRATE, ""), client);
    await client.query("select queue.create_queue('orders')");
    const { rows } = await client.query("select name from queue.list_queues()");
    expect(rows).toEqual([{ name: "orders" }]);
  });
});

describe("tables without a marker, as development versions left them", () => {
  it("get it at the next call that writes, and equal new ones", async () => {
    const [old, fresh] = [await createDatabase(), await createDatabase()];
    const client = await old.connect();
    await client.query(`drop type ${marker(LATEST)}`);
    await client.query("select queue.create_queue('orders'), queue.drop_queue('orders')");
    expect(await catalogSnapshot(client)).toEqual(await catalogSnapshot(await fresh.connect()));
  });

  it("get it from oxbow migrate", async () => {
    const database = await createDatabase();
    await database.query(`drop type ${marker(LATEST)}`);
    expect(await migrate(database.url)).toMatchObject({ applied: 0 });
    const found = await database.query(
      `select to_regtype('${marker(LATEST)}') is not null as found`,
    );
    expect(found).toEqual([{ found: true }]);
  });
});
