create or replace function queue._deadline_error(run_id bigint, deadline timestamptz)
returns jsonb
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select jsonb_build_object(
    'name', 'DeadlineExceeded',
    'code', 'DEADLINE_EXCEEDED',
    'message', format('run %s was still running at its deadline, %s', run_id, deadline)
  )
$function$;

comment on function queue._deadline_error(bigint, timestamptz) is
$comment$Returns the error of a run that its deadline ends.$comment$;
