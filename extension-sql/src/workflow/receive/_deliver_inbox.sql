create or replace function queue._deliver_inbox()
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_letter record;
begin
  -- Only for runs that no other transaction has locked; the next receive delivers the others.
  for v_letter in
    with first as materialized (
      select i.inbox_id, i.run_id
      from queue.workflow_inbox as i
      order by i.inbox_id
      limit 100
      for update skip locked
    ),
    free as materialized (
      select f.inbox_id
      from first as f
      join queue.workflow_continuation as m on m.msg_id = f.run_id
      for no key update of m skip locked
    ),
    taken as (
      delete from queue.workflow_inbox as i
      using first as f
      where i.inbox_id = f.inbox_id
        and (
          f.inbox_id in (select r.inbox_id from free as r)
          or not exists (select from queue.workflow_continuation as m where m.msg_id = f.run_id)
        )
      returning i.inbox_id, i.run_id, i.event, i.payload
    )
    select t.run_id, t.event, t.payload
    from taken as t
    where exists (select from queue.workflow_run as r where r.run_id = t.run_id)
    order by t.inbox_id
  loop
    if starts_with(v_letter.event, ' topic:') then
      perform queue._deliver_letter(v_letter.run_id, v_letter.event, v_letter.payload);
    else
      -- An earlier release has published it.
      perform queue.workflow_signal(v_letter.run_id, v_letter.event, v_letter.payload);
    end if;
  end loop;
end
$function$;

comment on function queue._deliver_inbox() is
$comment$Delivers messages of topics to the runs that wait for them.
Touches: queue.workflow_inbox, queue.workflow_continuation (SKIP LOCKED); as _deliver_letter() and workflow_signal().$comment$;
