create or replace function queue._hand_over_departing()
returns void
language plpgsql
volatile
set lock_timeout = '200ms'
as $function$
declare
  v_run record;
begin
  for v_run in
    select d.run_id, d.shard, s.is_draining
    from queue.departing as d
    join queue.fleet_shard as s on s.shard = d.shard
    -- Nothing of its family is waited for.
    where not exists (
      select
      from unnest(queue._run_family(d.run_id)) as f (run_id)
      join queue.departing as o on o.run_id = f.run_id
      join queue.workflow_continuation as m on m.msg_id = o.run_id
      where m.receipt is not null
        and m.visible_at > clock_timestamp()
        -- Neither a paused run that was set aside nor a suspect.
        and m.visible_at <> coalesce(queue._paused_until(m.headers), 'infinity')
    )
    order by d.run_id
    limit 10
    for update of d skip locked
  loop
    -- Since they were asked for.
    if v_run.is_draining then
      perform queue._stop_departing(array[v_run.run_id]);
      continue;
    end if;
    begin
      perform queue._hand_over(v_run.run_id, v_run.shard, false);
    exception
      when others then
        if queue._is_rejection(sqlstate) then
          -- It may stay: it has ended and was deleted, or has something now that can't move.
          perform queue._stop_departing(array[v_run.run_id]);
        end if;
    end;
  end loop;
end
$function$;

comment on function queue._hand_over_departing() is
$comment$Moves runs whose workers were asked for them and have given them back, a few at a time. Those that were asked for by a shard which is being drained now stay, and continue.
Touches: as _hand_over().$comment$;
