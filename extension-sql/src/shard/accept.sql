create or replace function queue.accept(
  fleet_id uuid,
  source   integer,
  target   integer,
  read_at  timestamptz,
  item_ids bigint[],
  kinds    text[],
  causes   text[],
  bodies   jsonb[]
)
returns queue.acceptance
language plpgsql
volatile
security definer
set lock_timeout = '5s'
-- plans: index, no bitmap
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_answer  queue.acceptance;
  v_new     integer[];
  v_item    integer;
  v_problem text;
begin
  perform queue._migrate_if_older();
  -- While hold_relays() has it, nothing arrives.
  lock table queue.accepted in row exclusive mode;
  perform queue._check_batch(fleet_id, source, target, read_at, item_ids, kinds, causes, bodies);
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  v_answer.tail := coalesce(pg_sequence_last_value('queue.skipped_ids'), 0);
  v_answer.problems := array_fill(null::text, array[cardinality(item_ids)]);

  -- A concurrent delivery of the same items waits here.
  with inserted as (
    insert into queue.accepted as a (accepted_at, item_id, source, cause)
    select v_now, i.item_id, accept.source, i.cause
    from unnest(item_ids, causes) with ordinality as i (item_id, cause, position)
    order by i.position
    on conflict on constraint accepted_pkey do nothing
    returning a.item_id
  )
  select array_agg(i.position::integer order by i.position) into v_new
  from inserted as a
  join unnest(item_ids) with ordinality as i (item_id, position) on i.item_id = a.item_id;
  v_new := coalesce(v_new, '{}');
  if cardinality(v_new) < cardinality(item_ids) then
    -- The source notes the delivery only now.
    update queue.accepted as a
    set accepted_at = v_now,
      item_id = i.item_id
    from unnest(item_ids, causes) as i (item_id, cause)
    where a.source = accept.source
      and a.cause = i.cause
      and a.accepted_at < v_now;
  end if;

  perform queue._lock_reached_runs(kinds, bodies);
  begin
    v_answer.outcomes := queue._accept_items(source::smallint, kinds, bodies, v_new);
  exception
    when others then
      if queue._is_rejection(sqlstate) is not true then
        raise;
      end if;
      -- One of them can't be carried out. Which, shows each by itself.
      v_answer.outcomes := array_fill('ok'::text, array[cardinality(item_ids)]);
      foreach v_item in array v_new loop
        begin
          v_answer.outcomes[v_item] := (queue._accept_items(source::smallint, kinds, bodies, array[v_item]))[v_item];
        exception
          when others then
            if queue._is_rejection(sqlstate) is not true then
              raise;
            end if;
            v_problem := sqlerrm;
            if sqlstate in ('OX028', 'OX029') and kinds[v_item] = 'start' then
              -- A key leads to its run, and a route to its home, wherever that is.
              begin
                perform queue._forward_start(bodies[v_item]);
                continue;
              exception
                when others then
                  if queue._is_rejection(sqlstate) is not true then
                    raise;
                  end if;
                  v_problem := sqlerrm;
              end;
            end if;
            v_answer.outcomes[v_item] := 'rejected';
            v_answer.problems[v_item] := v_problem;
            delete from queue.accepted as a
            where a.source = accept.source
              and a.cause = causes[v_item];
        end;
      end loop;
  end;

  if cardinality(v_new) < cardinality(item_ids) then
    -- The shard of the parent may have lost commits, repeats the step, and has dropped the end as that of a generation which
    -- it did not know. An end that is not needed is gone there.
    perform queue._send_child_ends(array_agg(r.run_id))
    from unnest(kinds, bodies) as b (kind, body)
    join queue.workflow_run as r
      on r.parent_run_id = case when b.body ->> 'parent' ~ '^[0-9]{1,18}$' then (b.body ->> 'parent')::bigint end
      and r.parent_step = b.body ->> 'step'
      and r.parent_generation::text = b.body ->> 'generation'
    where b.kind = 'child'
      and (r.status <> 'running' or r.is_detached)
    having count(*) > 0;
  end if;

  perform queue._sweep_accepted(source::smallint, item_ids[1]);
  return v_answer;
end
$function$;

comment on function queue.accept(uuid, integer, integer, timestamptz, bigint[], text[], text[], jsonb[]) is
$comment$Carries out items of another shard, in their order, each once: one that was carried out before does nothing. An item that can't be carried out is rejected, and doesn't stop those behind it. All take place in one transaction, which waits at most five seconds for a lock.
fleet_id, source, target, read_at, item_ids, kinds, causes, bodies: as outbox_take() of the other shard returns them.
Returns the outcome of each item: ok; gone, if the run that it concerns does not exist any more; or rejected, with the problem.
Errors: OX004 the batch was read more than an hour ago, or its arguments don't fit each other; OX028 it is for another shard, or this one is held as a copy; 55P03 another transaction holds a run or an item for longer, or relays are held; 40001 a run comes back or leaves at the same time, OX010 the run with a key is deleted: repeat the batch.
Touches: queue.accepted, which hold_relays() locks, as _sweep_accepted(); queue.workflow_continuation, locked in the order of run ids; as workflow_signal(), workflow_cancel() and workflow_start().$comment$;
