create or replace function queue._supersede_chunks(
  run_ids       bigint[],
  steps         text[],
  attempts      integer[],
  numbers       integer[],
  receipts      bigint[],
  superseded_at timestamptz
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  with writer as materialized (
    select distinct i.run_id, i.step, i.attempt, i.number, i.receipt
    from unnest(run_ids, steps, attempts, numbers, receipts) as i (run_id, step, attempt, number, receipt)
  ),
  -- Read before the deletions: a position is never used twice.
  last as materialized (
    select w.run_id, (select max(c.position) from queue.workflow_stream_chunk as c where c.run_id = w.run_id) as position
    from (select distinct writer.run_id from writer) as w
  ),
  superseded as (
    delete from queue.workflow_stream_chunk as c
    using writer as w
    where c.run_id = w.run_id
      and c.step_name = w.step
      and case
        when w.step = '' then c.since is null and (c.attempt, c.number) >= (w.attempt, w.number)
        -- Negative attempts are of an earlier generation.
        else c.attempt between 0 and w.attempt
          and (w.receipt is null or (c.attempt, c.receipt) is distinct from (w.attempt, w.receipt))
      end
    returning c.run_id, c.step_name, w.attempt, w.receipt, coalesce(c.since, c.position) as since
  ),
  reset as materialized (
    select s.run_id, s.step_name, s.attempt, s.receipt, min(s.since) as since
    from superseded as s
    group by s.run_id, s.step_name, s.attempt, s.receipt
  )
  insert into queue.workflow_stream_chunk (
    run_id, position, written_at, attempt, number, step_name, receipt, since
  )
  select r.run_id, l.position + row_number() over (partition by r.run_id order by r.since), superseded_at, r.attempt,
    case
      when r.step_name = '' then least(0, (
        select min(o.number)
        from queue.workflow_stream_chunk as o
        where o.run_id = r.run_id
          and o.step_name = ''
          and o.attempt = r.attempt
      )) - 1
      else 0
    end,
    r.step_name, r.receipt, r.since
  from reset as r
  join last as l on l.run_id = r.run_id;
end
$function$;

comment on function queue._supersede_chunks(bigint[], text[], integer[], integer[], bigint[], timestamptz) is
$comment$Deletes chunks that repeated calls replace, and appends one reset per call, for readers that may have these chunks.
run_ids, steps, attempts, numbers, receipts: parallel arrays with one element per call. For a step, the chunks of the attempt and of earlier ones are deleted, except those that the attempt wrote in the delivery with the receipt, if one is given. For the body, whose step is empty, the chunks from the attempt and number on are deleted.
Touches: queue.workflow_stream_chunk.$comment$;
