create or replace function queue._repeat_child_ends(kinds text[], bodies jsonb[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  perform queue._send_child_ends(array_agg(r.run_id))
  from unnest(kinds, bodies) as b (kind, body)
  join queue.workflow_run as r
    on r.parent_run_id = case when b.body ->> 'parent' ~ '^[0-9]{1,18}$' then (b.body ->> 'parent')::bigint end
    and r.parent_step = b.body ->> 'step'
    and r.parent_generation::text = b.body ->> 'generation'
  where b.kind = 'child'
    and (r.status <> 'running' or r.is_detached)
  having count(*) > 0;
end
$function$;

comment on function queue._repeat_child_ends(text[], jsonb[]) is
$comment$Sends the ends of children again whose items came a second time. The shard of the parent may have lost commits, repeats the step, and has dropped the end as that of a generation which it did not know. An end that is not needed is gone there.
kinds, bodies: as in queue.outbox.
Touches: as _send_child_ends(); reads queue.workflow_run.$comment$;
