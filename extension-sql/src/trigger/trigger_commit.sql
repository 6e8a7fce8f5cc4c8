create or replace function queue.trigger_commit(pool text, events jsonb, matches jsonb)
returns setof bigint
language plpgsql
volatile
security definer
-- plans: index, nested loop
as $function$
declare
  v_now       constant timestamptz := clock_timestamp();
  v_queue     constant queue.queue_settings := queue._internal_queue(queue._trigger_queue(pool));
  v_held      record;
  v_retry     record;
  v_decisions queue.trigger_decision[];
begin
  if jsonb_typeof(events) is distinct from 'array' or jsonb_typeof(matches) is distinct from 'array' then
    perform queue._raise('OX004', 'events and matches are JSON arrays', null, 'Pass both, as empty lists if need be.');
  end if;
  select h.held, h.attempts, h.published, h.messages, h.headers
  into v_held
  from queue._lock_events(pool, array(select (e.value ->> 'receipt')::bigint from jsonb_array_elements(events) as e)) as h;
  if v_held.held is null then
    return;
  end if;

  insert into queue.trigger_event as t (
    event_id, published_at, evaluated_at, expires_at, attempts, depth, pool, topic, state, error, message, headers, loaded
  )
  -- A batch may contain an event and its rechecks: the worst report stays.
  select distinct on (1) (i.headers ->> 'event_id')::bigint as event_id, i.published_at, v_now,
    v_now + case when r.state = 'failed' then interval '30 days' else interval '7 days' end,
    case r.state when 'release' then i.attempts - 1 else i.attempts end,
    coalesce((i.headers ->> 'depth')::integer, 0), trigger_commit.pool, i.headers ->> 'topic',
    case r.state when 'retry' then 'retrying' when 'release' then 'retrying' when 'failed' then 'failed' else 'evaluated' end,
    r.error, i.message, i.headers - array['only', 'event_id', 'depth', 'published_at', 'pools'], r.loaded
  from unnest(v_held.held, v_held.attempts, v_held.published, v_held.messages, v_held.headers)
    as i (receipt, attempts, published_at, message, headers)
  join (
    select (e.value ->> 'receipt')::bigint as receipt, e.value ->> 'state' as state,
      left(e.value ->> 'error', 2000) as error, nullif(e.value -> 'loaded', 'null') as loaded
    from jsonb_array_elements(events) as e
  ) as r using (receipt)
  -- An event whose lease is only extended, or that is given back immediately, isn't evaluated yet.
  where r.state not in ('more', 'release')
    or r.error is not null
    or r.receipt in (select (m.value ->> 'receipt')::bigint from jsonb_array_elements(matches) as m)
  order by 1, case r.state when 'failed' then 1 when 'retry' then 2 when 'release' then 3 else 4 end, r.loaded is null
  on conflict on constraint trigger_event_pkey do update
  set evaluated_at = excluded.evaluated_at,
    expires_at = greatest(t.expires_at, excluded.expires_at),
    attempts = excluded.attempts,
    pool = excluded.pool,
    state = excluded.state,
    error = excluded.error,
    loaded = coalesce(t.loaded || excluded.loaded, excluded.loaded, t.loaded)
  -- Several pools may evaluate an event: it shows the one that has trouble.
  where t.pool = excluded.pool
    or t.state = 'evaluated'
    or excluded.state = 'failed';

  v_decisions := queue._decide_matches(
    trigger_commit.pool, v_held.held, v_held.published, v_held.messages, v_held.headers, matches
  );
  if v_decisions <> '{}' then
    v_decisions := queue._start_triggered(queue._take_once(v_decisions));
    perform queue._record_matches(v_decisions);
  end if;

  -- Again, since the worker may have received the event before the definition moved. Only with the report that
  -- acknowledges it: an event that is given back would be sent once more at each delivery.
  perform queue._send_moved_events(
    trigger_commit.pool, array_agg(i.published order by i.position), array_agg(i.message order by i.position),
    array_agg(i.headers order by i.position)
  )
  from unnest(v_held.held, v_held.published, v_held.messages, v_held.headers) with ordinality
    as i (receipt, published, message, headers, position)
  where i.receipt in (
    select (e.value ->> 'receipt')::bigint
    from jsonb_array_elements(events) as e
    where e.value ->> 'state' in ('evaluated', 'failed')
  )
  having count(*) > 0;

  perform queue._delete_messages(
    v_queue,
    array(
      select (e.value ->> 'receipt')::bigint
      from jsonb_array_elements(events) as e
      where e.value ->> 'state' in ('evaluated', 'failed')
    ),
    v_now
  );
  for v_retry in
    select coalesce((e.value ->> 'delaySeconds')::numeric, 30) as delay_seconds, e.value ->> 'state' = 'more' as is_heartbeat,
      array_agg((e.value ->> 'receipt')::bigint) as receipts
    from jsonb_array_elements(events) as e
    where e.value ->> 'state' in ('retry', 'more')
    group by 1, 2
    order by 1, 2
  loop
    perform queue._change_visibility(v_queue, v_retry.receipts, v_retry.delay_seconds, v_retry.is_heartbeat);
  end loop;
  for v_retry in
    select coalesce((e.value ->> 'delaySeconds')::numeric, 0) as delay_seconds,
      array_agg((e.value ->> 'receipt')::bigint) as receipts
    from jsonb_array_elements(events) as e
    where e.value ->> 'state' = 'release'
    group by 1
    order by 1
  loop
    perform queue._give_back(v_queue, v_retry.receipts, v_retry.delay_seconds);
  end loop;
  return query select h.receipt from unnest(v_held.held) as h (receipt);
end
$function$;

comment on function queue.trigger_commit(text, jsonb, jsonb) is
$comment$For workers: reports in one transaction what the evaluation of events came to. It starts runs, one an event and trigger however often the event is delivered, records events and matches, and acknowledges.
events: an array of objects with receipt; state: evaluated, failed (for the last time; both acknowledge), retry (delivered again after delaySeconds), release (delivered again after delaySeconds to a worker that knows its types; this delivery does not count) or more (another commit follows within delaySeconds); error; and loaded, an object of the members that were loaded, by trigger type.
matches: an array of objects with receipt, definition, version, trigger; outcome: start, failed (so did the guard) or withdrawn (it no longer holds after a delay); error; input, of the run; onceKey; delaySeconds and recheck, as in the document.
Matches of definitions that are paused are recorded, and start nothing. Those of definitions and triggers that are gone, or whose scope the event does not have any more, are ignored. If another version was published while a worker evaluated the event, it is delivered again, for the trigger of that version. Events for definitions that have moved are forwarded, once they are acknowledged, to the workers of their pool, which decide.
Returns the receipts whose leases were alive; nothing is done for others.
Errors: OX001 no worker has declared the pool, OX004 invalid argument; those of workflow_start_batch().
Touches: the table of queue __tr_<pool>, rows by receipt; queue.trigger_event; queue.definition_once, in the order of its key; as workflow_start_batch(); queue.triggered_run, queue.trigger_match; as _send_moved_events().$comment$;
