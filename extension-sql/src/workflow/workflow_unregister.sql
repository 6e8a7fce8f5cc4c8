create or replace function queue.workflow_unregister(name text, version integer)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  if not queue._migrate_if_older() then
    return false;
  end if;
  delete from queue.workflow_version as v
  where v.workflow_name = workflow_unregister.name
    and v.version = workflow_unregister.version;
  if not found then
    return false;
  end if;
  perform queue._record_action('workflow.unregister', 'workflow', array[workflow_unregister.name],
    jsonb_build_object('version', workflow_unregister.version));
  return true;
end
$function$;

comment on function queue.workflow_unregister(text, integer) is
$comment$Removes a registered version, so that starts by name use an earlier one, for example after a deployment was rolled back. Existing runs of the version are unaffected. A worker that serves the version registers it again when it starts.
Returns false if the version was not registered.
Touches: queue.workflow_version; queue.audit.$comment$;
