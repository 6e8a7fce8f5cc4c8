create or replace function queue._append_stream(
  run_ids         bigint[],
  held            boolean[],
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
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  -- The lock on its continuation makes this the only writer of a run.
  insert into queue.workflow_stream_chunk (
    run_id, position, written_at, attempt, number, step_name, chunk
  )
  select run_ids[i.item], coalesce(last.position, 0) + row_number() over (partition by i.item order by i.n),
    committed_at, i.attempt, i.number, i.step, i.chunk
  from unnest(stream_items, stream_steps, stream_attempts, stream_numbers, stream_chunks) with ordinality
    as i (item, step, attempt, number, chunk, n)
  left join lateral (
    select c.position
    from queue.workflow_stream_chunk as c
    where c.run_id = run_ids[i.item]
    order by c.position desc
    limit 1
  ) as last on true
  where held[i.item]
  on conflict on constraint chunk_is_written_once do nothing;

  perform pg_notify('workflow_streamed', i.run_id::text)
  from (
    select distinct run_ids[e.item] as run_id
    from unnest(stream_items) as e (item)
  ) as i
  where queue._is_awaited('workflow_stream_' || i.run_id);
end
$function$;

comment on function queue._append_stream(bigint[], boolean[], integer[], text[], integer[], integer[], jsonb[], timestamptz) is
$comment$Appends to the streams of the runs of a commit, and wakes those who read them: they listen on workflow_streamed, and hold a shared advisory lock on the key of workflow_stream_<run_id>.
held: by position, whose leases are locked. stream_…: as in workflow_commit().
Touches: queue.workflow_stream_chunk; NOTIFY only for runs that somebody reads.$comment$;
