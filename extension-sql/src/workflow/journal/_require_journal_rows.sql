create or replace function queue._require_journal_rows(
  run_ids        bigint[],
  grown          bigint[],
  results        jsonb[],
  step_items     integer[],
  step_positions integer[]
)
returns void
language plpgsql
stable
as $function$
declare
  v_max_rows constant integer := queue._max_journal_rows();
  v_over     record;
begin
  -- A continuation states how many rows there are, also if the database has journaled the last ones.
  select run_ids[j.item] as run_id, max(j.rows) as rows
  into v_over
  from (
    select s.item, s.position as rows
    from unnest(step_items, step_positions) as s (item, "position")
    union all
    select r.item::integer, (r.result ->> 'journaled')::integer
    from unnest(results) with ordinality as r (result, item)
    where jsonb_typeof(r.result -> 'journaled') = 'number'
      and r.result ? 'waits'
  ) as j
  where run_ids[j.item] = any (grown)
    and j.rows > v_max_rows
  group by j.item
  limit 1;
  if not found then
    return;
  end if;

  perform queue._raise(
    'OX008',
    format('the journal of run %s would have %s rows', v_over.run_id, v_over.rows),
    format('A journal has at most %s rows.', v_max_rows),
    'Return ctx.continueAsNew(input) before that, or move work to child runs with step.invoke.'
  );
end
$function$;

comment on function queue._require_journal_rows(bigint[], bigint[], jsonb[], integer[], integer[]) is
$comment$Requires that journals have at most 100,000 rows, about: a worker receives and replays them whole. It is checked at each 64th row.
grown: runs whose journals may have become too large.
run_ids, results, step_...: as in workflow_commit().
Errors: OX008 too large.$comment$;
