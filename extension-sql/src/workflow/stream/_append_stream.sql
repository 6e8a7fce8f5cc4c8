create or replace function queue._append_stream(
  run_ids         bigint[],
  receipts        bigint[],
  held            boolean[],
  step_items      integer[],
  step_names      text[],
  step_attempts   integer[],
  stream_items    integer[],
  stream_steps    text[],
  stream_attempts integer[],
  stream_numbers  integer[],
  stream_chunks   jsonb[],
  committed_at    timestamptz
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_run_ids  bigint[];
  v_steps    text[];
  v_attempts integer[];
  v_numbers  integer[];
  v_receipts bigint[];
begin
  -- Calls of steps that write or are journaled, and of whose step an earlier attempt or another delivery has left chunks. All
  -- chunks of a step are from one call, so one chunk is enough to compare.
  select array_agg(w.run_id), array_agg(w.step), array_agg(w.attempt), array_agg(w.receipt)
  into v_run_ids, v_steps, v_attempts, v_receipts
  from (
    select run_ids[i.item] as run_id, receipts[i.item] as receipt, i.step, i.attempt
    from unnest(stream_items, stream_steps, stream_attempts) as i (item, step, attempt)
    where held[i.item]
      and i.step <> ''
    union
    select run_ids[s.item], receipts[s.item], s.name, s.attempts
    from unnest(step_items, step_names, step_attempts) as s (item, name, attempts)
    where held[s.item]
  ) as w
  cross join lateral (
    select c.attempt, c.receipt
    from queue.workflow_stream_chunk as c
    where c.run_id = w.run_id
      and c.step_name = w.step
      -- Not of an earlier generation.
      and c.attempt >= 0
    order by c.attempt, c.number
    limit 1
  ) as earlier
  where earlier.attempt < w.attempt
    or earlier.attempt = w.attempt and earlier.receipt is distinct from w.receipt;
  if v_run_ids is not null then
    perform queue._supersede_chunks(v_run_ids, v_steps, v_attempts, null, v_receipts, committed_at);
  end if;

  -- A replayed body writes the same chunks again. From the first chunk that differs, the new ones replace the old.
  select array_agg(b.run_id), array_agg(''::text), array_agg(b.attempt), array_agg(b.number)
  into v_run_ids, v_steps, v_attempts, v_numbers
  from (
    select distinct on (c.run_id) c.run_id, c.attempt, c.number
    from unnest(stream_items, stream_steps, stream_attempts, stream_numbers, stream_chunks)
      as i (item, step, attempt, number, chunk)
    join queue.workflow_stream_chunk as c
      on c.run_id = run_ids[i.item]
      and c.step_name = ''
      and c.attempt = i.attempt
      and c.number = i.number
    where i.step = ''
      and held[i.item]
      and c.chunk is distinct from i.chunk
    order by c.run_id, c.attempt, c.number
  ) as b;
  if v_run_ids is not null then
    perform queue._supersede_chunks(v_run_ids, v_steps, v_attempts, v_numbers, null, committed_at);
  end if;

  -- The lock on its continuation makes this transaction the only writer of a run.
  insert into queue.workflow_stream_chunk (
    run_id, position, written_at, attempt, number, step_name, chunk, receipt
  )
  select run_ids[i.item], coalesce(last.position, 0) + row_number() over (partition by i.item order by i.n),
    committed_at, i.attempt, i.number, i.step, i.chunk, receipts[i.item]
  from unnest(stream_items, stream_steps, stream_attempts, stream_numbers, stream_chunks) with ordinality
    as i (item, step, attempt, number, chunk, n)
  left join lateral (
    select c.position
    from queue.workflow_stream_chunk as c
    where c.run_id = run_ids[i.item]
    order by c.position desc
    limit 1
  ) as last on true
  where queue._is_held(held, i.item)
  on conflict on constraint chunk_is_written_once do nothing;

  perform pg_notify('workflow_streamed', i.run_id::text)
  from (
    select distinct run_ids[e.item] as run_id
    from unnest(stream_items || step_items) as e (item)
  ) as i
  where queue._is_awaited('workflow_stream_' || i.run_id);
end
$function$;

comment on function queue._append_stream(bigint[], bigint[], boolean[], integer[], text[], integer[], integer[], text[], integer[], integer[], jsonb[], timestamptz) is
$comment$Appends chunks to the streams of the runs of a commit, and wakes their readers, which listen on workflow_streamed and hold a shared advisory lock on the key of workflow_stream_<run_id>. Chunks that an earlier call of the same step wrote, as another attempt or in another delivery, are deleted first, and so are chunks of the body that differ from those written in their place.
held: by position, which leases are locked.
step_...: the steps that the commit journals, as in workflow_commit().
stream_...: as in workflow_commit().
Touches: queue.workflow_stream_chunk; NOTIFY only for runs that have a reader.$comment$;
