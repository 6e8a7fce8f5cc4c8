create or replace function queue._delete_events_of_runs(event_ids bigint[], run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_deleted bigint[];
begin
  with deleted as (
    delete from queue.trigger_event as e
    where e.event_id = any (event_ids)
      and e.state <> 'retrying'
      and not exists (
        select
        from queue.trigger_match as m
        where m.event_id = e.event_id
          and (m.outcome = 'delayed' or exists (select from queue.workflow_run as r where r.run_id = m.run_id))
      )
    returning e.event_id
  )
  select array_agg(deleted.event_id) into v_deleted from deleted;
  delete from queue.trigger_match as m
  where m.event_id = any (event_ids)
    and (m.run_id = any (run_ids) or m.event_id = any (v_deleted));
end
$function$;

comment on function queue._delete_events_of_runs(bigint[], bigint[]) is
$comment$Deletes events whose runs the caller has deleted, unless another run of theirs is left or triggers still have to be evaluated.
Touches: queue.trigger_event, queue.trigger_match.$comment$;
