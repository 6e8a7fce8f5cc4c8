create or replace function queue._end_refused_children(
  name     text,
  run_ids  bigint[],
  versions integer[],
  ended_at timestamptz
)
returns bigint[]
language plpgsql
volatile
as $function$
declare
  v_refused bigint[];
  v_errors  jsonb[];
begin
  perform queue._lock_definition_shared(name);
  select array_agg(i.run_id), array_agg(e.error)
  into v_refused, v_errors
  from unnest(run_ids, versions) as i (run_id, version)
  join queue.workflow_run as r
    on r.run_id = i.run_id
    and r.is_item is null
  cross join lateral (select queue._start_refusal(name, i.version) as error) as e
  where e.error is not null;
  if v_refused is not null then
    perform queue._end_runs(
      v_refused, array_fill('failed'::text, array[cardinality(v_refused)]), null, v_errors, null, ended_at
    );
  end if;
  return v_refused;
end
$function$;

comment on function queue._end_refused_children(text, bigint[], integer[], timestamptz) is
$comment$Fails child runs that were just inserted if their definition can't start them, so that the step of the parent fails. Items of a loop are left out.
run_ids, versions: parallel arrays.
Returns the failed ones; null instead of an empty array.
Touches: as _lock_definition_shared() and _end_runs(); reads queue.workflow_run, queue.definition, queue.definition_version.$comment$;
