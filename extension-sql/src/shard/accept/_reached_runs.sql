create or replace function queue._reached_runs(kinds text[], bodies jsonb[])
returns bigint[]
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return array(
    select distinct (i.body ->> 'run')::bigint
    from unnest(kinds, bodies) as i (kind, body)
    -- What is malformed is rejected when it is carried out.
    where i.kind = 'signal'
      and i.body ->> 'run' ~ '^[0-9]{1,18}$'
  );
end
$function$;

comment on function queue._reached_runs(text[], jsonb[]) is
$comment$Returns the runs whose continuations items of another shard change.
kinds, bodies: as in queue.outbox.
Touches: nothing.$comment$;
