/** Faults of the database's clock. Workers' own are never asked. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Fault } from "../fault.ts";
import { ROOT } from "../world/program.ts";
import type { World, WorldOptions } from "../world/world.ts";

const HOUR_MS = 3_600_000;

/** Installs the clock of the testing kit, and lets it go in both directions. */
const movedWorld: Partial<WorldOptions> = {
  prepare: async ({ url }) => {
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    await session.query(await readFile(join(ROOT, "sdk/sql/testing.sql"), "utf8"));
    await session.query(
      `create sequence oxbow_test.audit_offset minvalue -1000000000000 start 0;
       grant select on sequence oxbow_test.audit_offset to public;
       create or replace function oxbow_test.clock_timestamp() returns timestamptz
         language plpgsql volatile parallel unsafe as $$
         begin
           return pg_catalog.clock_timestamp()
             + (select s.last_value from oxbow_test.audit_offset as s) * interval '1 millisecond';
         end $$;
       create or replace function oxbow_test.now() returns timestamptz
         language plpgsql stable parallel unsafe as $$
         begin
           return pg_catalog.now()
             + (select s.last_value from oxbow_test.audit_offset as s) * interval '1 millisecond';
         end $$`,
    );
    await session.end();
  },
};

const setClock = (world: World, aheadMs: number): Promise<unknown> =>
  world.query("select setval('oxbow_test.audit_offset', $1)", [aheadMs]);

/** The query that compares the database's clock with that of the machine. */
const OF_THE_CLOCK = ["ticks are exact", "sleeps are never early", "journaled steps stay"];

export const CLOCK_FAULTS: readonly Fault[] = [
  {
    name: "clock ahead for a moment",
    injects: "the database's clock is an hour ahead for 1.2 s, then right again",
    promises: "sleeps may end early by it; every run ends",
    world: movedWorld,
    except: OF_THE_CLOCK,
    load: { overMs: 5_000 },
    inject: async ({ world }) => {
      await setClock(world, HOUR_MS);
      await pause(1_200);
      await setClock(world, 0);
    },
  },
  {
    name: "clock back",
    injects: "the database's clock goes back by an hour, for good",
    promises: "no run and no message waits for the hour to pass again",
    world: movedWorld,
    except: OF_THE_CLOCK,
    load: { overMs: 5_000, messages: 80 },
    inject: async ({ world }) => {
      await setClock(world, -HOUR_MS);
      await pause(2_000);
    },
  },
  {
    name: "clock ahead",
    injects: "the database's clock goes ahead by an hour, for good",
    world: movedWorld,
    except: OF_THE_CLOCK,
    load: { overMs: 5_000 },
    inject: async ({ world }) => {
      await setClock(world, HOUR_MS);
      await pause(2_000);
    },
  },
];
