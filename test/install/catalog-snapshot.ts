/**
 * Everything that the catalogs say about schema `queue`, a line a fact, in an order that doesn't depend on how it
 * came about: two installations are the same if and only if their lines are.
 */
import type pg from "pg";

const FACTS = `
  select format('type %s: kind %s, %s, comment %L', t.oid::regtype, t.typtype,
    coalesce(
      (select string_agg(format('%s %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
       from pg_attribute as a where a.attrelid = t.typrelid and not a.attisdropped),
      (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum as e where e.enumtypid = t.oid)),
    obj_description(t.oid, 'pg_type'))
  from pg_type as t left join pg_class as c on c.oid = t.typrelid
  where t.typnamespace = 'queue'::regnamespace and t.typelem = 0 and coalesce(c.relkind, 'c') = 'c'

  union all
  select format('relation %s: kind %s, options %s, grants %s, comment %L',
    c.oid::regclass, c.relkind, c.reloptions, c.relacl, obj_description(c.oid, 'pg_class'))
  from pg_class as c
  where c.relnamespace = 'queue'::regnamespace and c.relkind <> 'c'

  union all
  select format('column %s %s: %s, not null %s, default %L, identity %L, comment %L',
    a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    pg_get_expr(d.adbin, d.adrelid), a.attidentity, col_description(a.attrelid, a.attnum))
  from pg_attribute as a
  join pg_class as c on c.oid = a.attrelid
  left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = 'queue'::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and a.attnum > 0

  union all
  select format('sequence %s: %s from %s by %s, cache %s', s.seqrelid::regclass,
    format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqcache)
  from pg_sequence as s join pg_class as c on c.oid = s.seqrelid
  where c.relnamespace = 'queue'::regnamespace

  union all
  select format('constraint %s on %s: %s', k.conname, k.conrelid::regclass, pg_get_constraintdef(k.oid))
  from pg_constraint as k
  where k.connamespace = 'queue'::regnamespace

  union all
  select format('index %s: %s', i.indexrelid::regclass, pg_get_indexdef(i.indexrelid))
  from pg_index as i join pg_class as c on c.oid = i.indexrelid
  where c.relnamespace = 'queue'::regnamespace

  union all
  select format('function %s: grants %s, comment %L, %s',
    p.oid::regprocedure, p.proacl, obj_description(p.oid, 'pg_proc'), pg_get_functiondef(p.oid))
  from pg_proc as p
  where p.pronamespace = 'queue'::regnamespace and p.prokind in ('f', 'p')

  union all
  select format('migration %s %s', m.version, m.name)
  from queue.migration as m`;

export async function catalogSnapshot(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ fact: string }>(
    `select fact from (${FACTS}) as facts (fact) order by fact collate "C"`,
  );
  return rows.map((row) => row.fact);
}
