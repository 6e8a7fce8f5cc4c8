create or replace function queue._join_claims(claimed queue.claimed_runs, more queue.claimed_runs)
returns queue.claimed_runs
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case
    when (claimed).run_ids is null and (claimed).must_end is null then more
    else row(
      (claimed).run_ids || (more).run_ids,
      (claimed).receipts || (more).receipts,
      (claimed).attempts || (more).attempts,
      (claimed).continuations || (more).continuations,
      (claimed).is_fresh || (more).is_fresh,
      (claimed).must_end || (more).must_end,
      coalesce((more).limited, (claimed).limited),
      (claimed).sizes || (more).sizes
    )::queue.claimed_runs
  end
$function$;

comment on function queue._join_claims(queue.claimed_runs, queue.claimed_runs) is
$comment$Appends the runs of a second claim to those of a first one.
Returns both.$comment$;
