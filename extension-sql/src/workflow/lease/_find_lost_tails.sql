create or replace function queue._find_lost_tails(
  run_ids        bigint[],
  held           boolean[],
  known          jsonb[],
  step_items     integer[],
  step_positions integer[]
)
returns integer[]
language plpgsql
stable
-- plans: index, generic
as $function$
declare
  v_items integer[];
begin
  -- If the caller names no fact, the position of a step shows which rows should exist before it.
  if step_items is not null and (known is null or array_position(known, null) is not null) then
    v_items := array(
      select f.item
      from (
        select s.item, min(s.position) as "position"
        from unnest(step_items, step_positions) as s (item, position)
        group by s.item
      ) as f
      where held[f.item]
        and known[f.item] is null
        and f.position > 1
        and not exists (
          select
          from queue.workflow_step as s
          where s.run_id = run_ids[f.item]
            and s.position >= f.position - 1
        )
    );
  end if;
  if known is null then
    return coalesce(v_items, array[]::integer[]);
  end if;

  -- The log loses its end, so if the last fact exists, everything before it does.
  return v_items || array(
    select i.item::integer
    from unnest(run_ids, held, known) with ordinality as i (run_id, held, known, item)
    where i.held
      and not case
        when i.known ? 'step' then exists (
          select
          from queue.workflow_step as s
          where s.run_id = i.run_id
            and s.step_name = i.known ->> 'step'
        )
        when i.known ? 'revision' then exists (
          select
          from queue.workflow_continuation as m
          where m.msg_id = i.run_id
            and (m.message ->> 'revision')::bigint >= (i.known ->> 'revision')::bigint
        )
        when i.known ? 'chunk' then exists (
          select
          from queue.workflow_stream_chunk as c
          where c.run_id = i.run_id
            and c.step_name = i.known #>> '{chunk,step}'
            and (
              c.attempt = (i.known #>> '{chunk,attempt}')::integer and c.number = (i.known #>> '{chunk,number}')::integer
              -- A later attempt has superseded it.
              or c.step_name <> '' and c.attempt > (i.known #>> '{chunk,attempt}')::integer
            )
        )
        else true
      end
  );
end
$function$;

comment on function queue._find_lost_tails(bigint[], boolean[], jsonb[], integer[], integer[]) is
$comment$Finds runs whose worker got a successful answer for a commit that does not exist: a crash or failover has lost it.
held: by position, which leases are alive; other runs are skipped.
known: as in workflow_commit(); if it is null, or null for a run, step_items and step_positions show what the worker assumes to be journaled.
Returns their positions.
Touches: nothing; reads queue.workflow_step, queue.workflow_continuation and queue.workflow_stream_chunk.$comment$;
