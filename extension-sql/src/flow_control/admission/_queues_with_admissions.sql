create or replace function queue._queues_with_admissions()
returns integer[]
language plpgsql
stable
-- plans: index, no bitmap, generic
as $function$
begin
  -- Jumps from queue to queue through the indexes.
  return array(
    with recursive
    arrived (queue_id) as (
      select (
        select a.queue_id from queue.workflow_admission as a
        where a.state = 'new' and not a.is_over order by a.queue_id limit 1
      )
      union all
      select (
        select a.queue_id from queue.workflow_admission as a
        where a.state = 'new' and not a.is_over and a.queue_id > f.queue_id order by a.queue_id limit 1
      )
      from arrived as f
      where f.queue_id is not null
    ),
    candidates (queue_id) as (
      select (
        select a.queue_id from queue.workflow_admission as a
        where a.state = 'candidate' and not a.is_over order by a.queue_id limit 1
      )
      union all
      select (
        select a.queue_id from queue.workflow_admission as a
        where a.state = 'candidate' and not a.is_over and a.queue_id > f.queue_id order by a.queue_id limit 1
      )
      from candidates as f
      where f.queue_id is not null
    ),
    over (queue_id) as (
      select (
        select a.queue_id from queue.workflow_admission as a where a.is_over order by a.queue_id limit 1
      )
      union all
      select (
        select a.queue_id from queue.workflow_admission as a
        where a.is_over and a.queue_id > f.queue_id order by a.queue_id limit 1
      )
      from over as f
      where f.queue_id is not null
    ),
    gates (queue_id) as (
      select (
        select g.queue_id from queue.workflow_gate as g where g.opens_at is not null order by g.queue_id limit 1
      )
      union all
      select (
        select g.queue_id from queue.workflow_gate as g
        where g.opens_at is not null and g.queue_id > f.queue_id order by g.queue_id limit 1
      )
      from gates as f
      where f.queue_id is not null
    )
    select n.queue_id
    from (
      select arrived.queue_id from arrived
      union
      select candidates.queue_id from candidates
      union
      select over.queue_id from over
      union
      select gates.queue_id from gates
    ) as n
    where n.queue_id is not null
  );
end
$function$;

comment on function queue._queues_with_admissions() is
$comment$Lists the workflows of which a receive may admit runs now or at a known time. The cost depends on how many these are, not on how many have flow control.
Returns their queues, in no order.
Touches: nothing; reads the first entries of queue.workflow_admission and queue.workflow_gate.$comment$;
