create or replace function queue._waits_but(waits jsonb, ended text[])
returns jsonb
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select coalesce(jsonb_agg(e.w order by e.n), '[]')
  from jsonb_array_elements(waits) with ordinality as e (w, n)
  where e.w ->> 'step' not in (select x.step from unnest(ended) as x (step))
$function$;

comment on function queue._waits_but(jsonb, text[]) is
$comment$Returns the waits of a continuation without those of steps that have ended.$comment$;
