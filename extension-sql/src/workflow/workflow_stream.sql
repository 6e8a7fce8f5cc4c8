create or replace function queue.workflow_stream(
  run_id     bigint,
  after      bigint default 0,
  max_chunks integer default 1000
)
returns setof queue.workflow_chunk
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  perform queue._check_count(max_chunks, 'max_chunks', 10000, 'Request between 1 and 10000 chunks at a time.');
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select c.position, c.written_at, nullif(c.step_name, ''), case when c.step_name <> '' then greatest(c.attempt, -1 - c.attempt) end, c.chunk,
      c.since
    from queue.workflow_stream_chunk as c
    where c.run_id = workflow_stream.run_id
      and c.position > coalesce(workflow_stream.after, 0)
      -- A reset is for readers that may have the chunks that it takes back.
      and (c.since is null or c.since <= coalesce(workflow_stream.after, 0))
    order by c.position
    limit max_chunks;
end
$function$;

comment on function queue.workflow_stream(bigint, bigint, integer) is
$comment$Returns what a run has written with ctx.stream.write(), in order.
after: position of the last chunk that the caller has; 0 for the beginning.
max_chunks: size of the page, 1 to 10000.
Returns one row per chunk; no rows if there is no chunk yet, or no such run. A row with reset_since is a reset: a later call of the step has superseded the chunks of one that failed or was interrupted, so discard the chunks of this step (null means the body) from that position on. A reset is returned only to callers that may have those chunks.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_stream_chunk.$comment$;
