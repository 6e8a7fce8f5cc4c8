create or replace function queue._version_defaults(name text)
returns queue.version_defaults
language plpgsql
stable
parallel safe
as $function$
declare
  v_defaults queue.version_defaults;
begin
  select array_agg(v.version), array_agg(v.retention_days), array_agg(v.deadline)
  into v_defaults
  from (
    select r.version, r.retention_days, r.deadline
    from queue.workflow_version as r
    where r.workflow_name = _version_defaults.name
    order by r.version desc
  ) as v;
  return v_defaults;
end
$function$;

comment on function queue._version_defaults(text) is
$comment$Returns the registered versions of a workflow with the defaults of their runs.
Returns parallel arrays, highest version first; null arrays before the first registration. workflow_start_batch() has this query inline.
Touches: nothing; reads queue.workflow_version.$comment$;
