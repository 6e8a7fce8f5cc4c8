create or replace function queue._fit_claims(claimed queue.claimed_runs, max_bytes bigint, reads_pages boolean)
returns queue.claimed_runs
language plpgsql
volatile
-- plans: index, no bitmap, generic
as $function$
declare
  -- A JSON array has at most 256 MiB, including names and numbers.
  v_longest constant bigint := bigint '234881024';
  v_fitting queue.claimed_runs;
  v_rest    bigint[];
  v_delay   interval := interval '0';
begin
  with sized as (
    select c.run_id, c.receipt, c.attempt, c.continuation, c.is_fresh, c.n,
      coalesce(c.size, 0) + case
        when c.is_fresh then 0
        else coalesce((
          select sum(s.bytes) from queue.workflow_step as s where s.run_id = c.run_id and s.bytes is not null
        ), 0)
      end as bytes
    from unnest(
      (claimed).run_ids, (claimed).receipts, (claimed).attempts, (claimed).continuations, (claimed).is_fresh,
      (claimed).sizes
    ) with ordinality as c (run_id, receipt, attempt, continuation, is_fresh, size, n)
  ),
  summed as (
    select sized.*,
      case
        when sized.bytes > v_longest and not reads_pages then false
        else sized.n = 1 or sum(sized.bytes) over (order by sized.n) <= max_bytes
      end as fits
    from sized
  )
  select array_agg(s.run_id) filter (where s.fits), array_agg(s.receipt) filter (where s.fits),
    array_agg(s.attempt) filter (where s.fits), array_agg(s.continuation) filter (where s.fits),
    array_agg(s.is_fresh) filter (where s.fits), array_agg(s.bytes) filter (where s.fits),
    array_agg(s.run_id) filter (where not s.fits),
    coalesce(max('30 seconds'::interval) filter (where s.bytes > v_longest and not s.fits and not reads_pages), '0')
  into v_fitting.run_ids, v_fitting.receipts, v_fitting.attempts, v_fitting.continuations, v_fitting.is_fresh,
    v_fitting.sizes, v_rest, v_delay
  from summed as s;

  v_fitting.must_end := (claimed).must_end;
  v_fitting.limited := (claimed).limited;
  if v_rest is not null then
    update queue.workflow_continuation as m
    -- A run that was leased before keeps a receipt, which no worker has: its continuation may be behind its journal.
    set receipt = case when m.settled_receipt is null and m.read_ct = 1 then null else m.receipt end,
      visible_at = clock_timestamp() + v_delay,
      read_ct = m.read_ct - 1
    where m.msg_id = any (v_rest);
  end if;
  return v_fitting;
end
$function$;

comment on function queue._fit_claims(queue.claimed_runs, bigint, boolean) is
$comment$Gives back claimed runs that do not fit into one answer.
max_bytes: bound for the rest, which contains at least one run.
reads_pages: the caller reads a large journal in pages. A run that cannot be delivered otherwise is left to such workers.
Returns the rest, with the sizes of inputs and journals.
Touches: queue.workflow_continuation; reads the sizes of large rows of queue.workflow_step.$comment$;
