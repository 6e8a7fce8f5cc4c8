create or replace function queue._resolve_key_conflicts(
  name             text,
  run_ids          bigint[],
  idempotency_keys text[],
  on_running       text[],
  on_ended         text[],
  created          bigint[],
  inputs           jsonb[],
  delay_seconds    numeric[],
  deadlines        timestamptz[],
  priorities       integer[],
  flow             jsonb
)
returns bigint[]
language plpgsql
volatile
as $function$
declare
  v_item   record;
  v_holder record;
  v_free   bigint[];
begin
  -- One key after another: elements of a batch may take over a key from each other, and who holds it has to be looked up
  -- again after each concurrent change.
  for v_item in
    select i.run_id, i.key, coalesce(i.on_running, 'use-existing') as on_running,
      coalesce(i.on_ended, 'use-existing') as on_ended, i.input, i.delay, i.deadline, i.priority
    from unnest(run_ids, idempotency_keys, on_running, on_ended, inputs, delay_seconds, deadlines, priorities)
      as i (run_id, key, on_running, on_ended, input, delay, deadline, priority)
    where (i.on_running <> 'use-existing' or i.on_ended <> 'use-existing')
      and (created is null or i.run_id <> all (created))
    order by i.key, i.run_id
  loop
    for v_attempt in 1..101 loop
      if (v_attempt <= 100) is not true then
        perform queue._raise(
          'OX010',
          format('too much contention on idempotency key "%s" of workflow "%s"', left(v_item.key, 40), name),
          null,
          'Start the run again.'
        );
      end if;
      select r.run_id, r.status::text as status into v_holder
      from queue.workflow_run as r
      where r.workflow_name = _resolve_key_conflicts.name
        and r.idempotency_key = v_item.key
        and r.superseded_by is null;
      if not found then
        -- Deleted, or given up to an earlier element of this batch.
        v_free := v_free || v_item.run_id;
        exit;
      end if;

      if v_holder.status = 'running' then
        exit when v_item.on_running = 'use-existing';
        if v_item.on_running = 'debounce' then
          exit when queue._postpone_start(
            v_holder.run_id, v_item.input, v_item.delay, v_item.deadline, v_item.priority, flow
          );
          -- The run has begun, or is about to fail, and keeps its input; the next run takes the new one.
          update queue.workflow_run as r
          set idempotency_key = null
          where r.run_id = v_holder.run_id
            and r.idempotency_key = v_item.key;
          continue;
        end if;
        if (v_item.on_running = 'fail') is true then
          perform queue._raise(
            'OX010',
            format('run %s of workflow "%s" with idempotency key "%s" is running', v_holder.run_id, name,
              left(v_item.key, 40)),
            format('run_id %s', v_holder.run_id),
            'Wait for it to end or cancel it, or start with another key or another on_running.'
          );
        end if;
        continue when not queue._cancel_one_run(
          v_holder.run_id,
          format('another run was started with the idempotency key "%s"', left(v_item.key, 40)),
          false
        );
      else
        exit when v_item.on_ended = 'use-existing'
          or v_item.on_ended = 'start-new-if-failed' and v_holder.status = 'completed';
      end if;

      -- No other transaction can take the key until this one ends: its insert waits for the row.
      update queue.workflow_run as r
      set superseded_by = v_item.run_id
      where r.run_id = v_holder.run_id
        and r.superseded_by is null
        and r.status <> 'running';
      if found then
        v_free := v_free || v_item.run_id;
        exit;
      end if;
    end loop;
  end loop;
  return v_free;
end
$function$;

comment on function queue._resolve_key_conflicts(text, bigint[], text[], text[], text[], bigint[], jsonb[], numeric[], timestamptz[], integer[], jsonb) is
$comment$Carries out what the starts of a batch specify for an idempotency key that is taken.
run_ids: ids for the new runs.
created: the ones that exist already.
inputs, delay_seconds, deadlines, priorities, flow: for debounced starts.
Returns the ids of the runs whose key is now free, so that the caller can insert them; null if all others use the existing run.
Errors: OX010 the run with the key is running, and on_running is fail.
Touches: queue.workflow_run; as workflow_cancel().$comment$;
