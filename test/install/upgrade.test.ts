import { readFileSync } from "node:fs";
import { migrate } from "@oxbow/sdk/internal";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { catalogSnapshot } from "./catalog-snapshot.ts";

const UPGRADE = new URL("../../extension-sql/plain/upgrade.sql", import.meta.url);

it("an upgrade leaves no function of an older release, and completes its types", async () => {
  const fresh = await createDatabase({ empty: true });
  const old = await createDatabase({ empty: true });
  for (const database of [fresh, old]) await migrate(database.url);

  const upgrade = readFileSync(UPGRADE, "utf8");
  const dropped = [...upgrade.matchAll(/^drop function if exists (queue\.\w+\(.*\));$/gm)];
  const added = [...upgrade.matchAll(/^ *\('(\w+)', '(\w+)', '[^']+'\)/gm)];
  expect(Math.min(dropped.length, added.length)).toBeGreaterThan(0);
  for (const [, signature] of dropped) {
    await old.query(
      `create function ${signature} returns integer language sql set search_path = pg_catalog, pg_temp return 1`,
    );
  }
  for (const [, type, attribute] of added)
    await old.query(`alter type queue.${type} drop attribute ${attribute}`);

  await migrate(old.url);
  const snapshot = await catalogSnapshot(await fresh.connect());
  expect(await catalogSnapshot(await old.connect())).toEqual(snapshot);
  await old.query("select queue.workflow_start('upgraded', '1')");
  expect(await old.query("select name, activity from queue.workflow_get(1)")).toEqual([
    { name: "upgraded", activity: "ready" },
  ]);
});
