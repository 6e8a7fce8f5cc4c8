create or replace function queue._plan_schedules(definition_id bigint)
returns void
language plpgsql
volatile
as $function$
declare
  v_gone   text[];
  v_wanted record;
  v_name   text;
begin
  v_gone := array(
    select s.name
    from queue.schedule as s
    where s.definition_id = _plan_schedules.definition_id
      and not exists (
        select
        from queue.definition_trigger as t
        where t.definition_id = s.definition_id
          and t.name = s.trigger_name
          and t.kind = 'schedule'
      )
    order by s.name
    for update
  );
  perform queue._cancel_tick(g.name) from unnest(v_gone) as g (name);
  delete from queue.schedule as s where s.name = any (v_gone);
  for v_wanted in
    select d.name as definition, t.name, t.spec
    from queue.definition_trigger as t
    join queue.definition as d on d.definition_id = t.definition_id
    where t.definition_id = _plan_schedules.definition_id
      and t.kind = 'schedule'
    order by t.name
  loop
    v_name := format('definition:%s:%s', v_wanted.definition, v_wanted.name);
    if exists (
      select
      from queue.schedule as s
      where s.name = v_name
        and s.definition_id is distinct from _plan_schedules.definition_id
    ) then
      perform queue._raise('OX016', format('schedule "%s" exists already', v_name), null,
        'Delete it, or give the trigger another name.');
    end if;
    perform queue._record_schedule(
      v_name, v_wanted.definition, v_wanted.spec ->> 'cron', queue._every_seconds(v_wanted.spec -> 'every'),
      coalesce(v_wanted.spec ->> 'time_zone', 'UTC'), null, null, null, null, 0, 'latest', null, 60, 'allow'
    );
    update queue.schedule as s
    set definition_id = _plan_schedules.definition_id,
      trigger_name = v_wanted.name
    where s.name = v_name
      and s.definition_id is null;
  end loop;
end
$function$;

comment on function queue._plan_schedules(bigint) is
$comment$Makes the schedules of a definition those of its triggers that are in force. One that does not change keeps its next tick, and one that a person has paused stays so.
Errors: OX004 invalid cron expression, interval or time zone, OX016 a schedule has the name that the trigger needs.
Touches: queue.schedule, the table of queue __schedules; queue.audit.$comment$;
