/** A fleet that each test of a file finds as it was made. */
import { beforeEach } from "vitest";
import { createFleet, queryAll, type TestFleet } from "./fleet.ts";

/** Records of migrations, and the locks of names, never change. */
const TABLES = `select relname from pg_class
  where relnamespace = 'queue'::regnamespace and relkind = 'r' and relname not in ('migration', 'name_lock')`;

/** Keeps the rows of all tables, and makes a function that puts them back. */
const KEEP_ROWS = `create schema kept;
  create function kept.relations() returns text[] language sql stable as $$
    select array_agg(relname::text order by relname) from pg_class where relnamespace = 'queue'::regnamespace
  $$;
  do $$
  declare
    v_table    name;
    v_has_rows boolean;
    v_body     text := format(
      'begin if kept.relations() <> %L then raise exception ''a test has made or dropped a queue''; end if; ', kept.relations());
  begin
    for v_table in ${TABLES} loop
      v_body := v_body || format('delete from queue.%I; ', v_table);
      execute format('select exists (select from queue.%I)', v_table) into v_has_rows;
      if v_has_rows then
        execute format('create table kept.%1$I as table queue.%1$I', v_table);
        v_body := v_body || format('insert into queue.%1$I overriding system value table kept.%1$I; ', v_table);
      end if;
    end loop;
    execute format('create function kept.put_back() returns void language plpgsql '
      'set session_replication_role = replica set lock_timeout = %L as %L', '30s', v_body || 'end');
  end $$`;

/**
 * Puts the rows back before each test, which takes a tenth of what copies take, and the sessions keep what they have compiled.
 * A test ends its transactions, and leaves the queues that the script makes, and no others.
 *
 * @param script For all shards, such as what makes queues.
 */
export async function createReusedFleet(
  count: number,
  script: string,
): Promise<TestFleet["databases"]> {
  const { databases } = await createFleet(count);
  const all = Object.values(databases);
  await queryAll(all)(`${script}; ${KEEP_ROWS}`);
  beforeEach(() => Promise.all(all.map((one) => one.query("select kept.put_back()"))));
  return databases;
}

/** For a script: what the first start of a run of each workflow makes. */
export const queuesOf = (...workflows: readonly string[]): string =>
  `select queue._create_workflow_queue(name) from unnest('{${workflows.join()}}'::text[]) as name`;
