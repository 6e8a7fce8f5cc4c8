/** The clock of the testing kit in a database that a test has made itself: time passes, and is skipped on request. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { eventually } from "./eventually.ts";

const CLOCK = fileURLToPath(new URL("../../sdk/sql/testing.sql", import.meta.url));

/** Sessions that begin afterwards have it. */
export async function installClock(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(await readFile(CLOCK, "utf8"));
  } finally {
    await client.end();
  }
}

/** A fork that was restored from a dump has the clock, but functions that were installed again and don't ask it. */
export async function restoreClock(session: pg.Client): Promise<void> {
  const { rowCount } = await session.query(
    `select from pg_proc
     where pronamespace = 'queue'::regnamespace and proconfig::text like '%search_path=oxbow_test%'`,
  );
  if (rowCount !== 0) return;
  const clock = await readFile(CLOCK, "utf8");
  await session.query(/^do \$redirect\$[\s\S]*^\$redirect\$;/m.exec(clock)?.[0] ?? "");
}

/** Moves the clock forward; leases of runs that are executed move with it. */
export async function moveClock(session: pg.Client, moment: Date): Promise<void> {
  // It is refused while a worker receives or commits.
  await eventually(
    () => session.query("select oxbow_test.move_while_executing($1)", [moment]),
    () => true,
  );
}
