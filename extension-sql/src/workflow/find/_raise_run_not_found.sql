create or replace function queue._raise_run_not_found(run_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._raise_if_moved(run_id);
  if exists (select from queue.workflow_run as r where r.run_id = _raise_run_not_found.run_id) then
    perform queue._raise('40001', format('run %s has just come back from another shard', run_id), null, 'Repeat the call.');
  end if;
  perform queue._require_own_id(run_id);
  perform queue._raise('OX005', format('run %s does not exist', coalesce(run_id::text, 'null')), null,
    'Check the run id. An ended run is deleted when its retention is over.');
end
$function$;

comment on function queue._raise_run_not_found(bigint) is
$comment$Raises OX005 for a run that the caller hasn't found.
Errors: OX028 the run is in another shard, OX029 it has moved to one, 40001 it has come back since; otherwise OX005.
Touches: nothing; reads queue.workflow_run, queue.fleet, queue.fleet_shard, queue.elsewhere.$comment$;
