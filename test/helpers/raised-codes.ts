/** Statements that fail with an SQLSTATE of the test's choice, a number of times, and then succeed. */
import type { TestDatabase } from "./database.ts";

/** The name of a step, an event or a message that asks for the failure. */
export const raising = (sqlstate: string, times: number): string =>
  `raise-${sqlstate.toLowerCase()}-${times}`;

/**
 * Makes each insert of a row whose column holds such a name fail. The count survives the transaction that fails.
 *
 * @param table The whole name of a table.
 */
export async function raiseOnInsert(
  database: TestDatabase,
  table: string,
  column: string,
): Promise<void> {
  await database.query(
    `create table if not exists public.raised (name text);
     create or replace function public.count_raised(name text) returns bigint language plpgsql as $$
     declare
       v_sequence constant text := format('public.%I', 'raised ' || name);
     begin
       return nextval(v_sequence);
     end $$;
     create or replace function public.raise_asked() returns trigger language plpgsql as $$
     declare
       v_name  constant text := to_jsonb(new) ->> tg_argv[0];
       v_asked constant text[] := regexp_match(v_name, 'raise-([0-9a-z]{5})-(\\d+)');
     begin
       if v_asked is null then
         return new;
       end if;
       if public.count_raised(v_asked[1] || '-' || v_asked[2]) <= v_asked[2]::bigint then
         raise exception using errcode = upper(v_asked[1]), message = 'asked for';
       end if;
       return new;
     end $$;
     create trigger raise_asked before insert on ${table}
       for each row execute function public.raise_asked('${column}')`,
  );
}

/** Prepares the count of one failure. */
export async function prepareToRaise(
  database: TestDatabase,
  sqlstate: string,
  times: number,
): Promise<string> {
  await database.query(
    `create sequence if not exists public."raised ${sqlstate.toLowerCase()}-${times}"`,
  );
  return raising(sqlstate, times);
}
