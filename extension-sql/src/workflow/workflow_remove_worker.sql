create or replace function queue.workflow_remove_worker(worker_id uuid)
returns boolean
language plpgsql
volatile
security definer
-- plans: index
as $function$
begin
  if not queue._migrate_if_older() then
    return false;
  end if;
  delete from queue.workflow_worker as w where w.worker_id = workflow_remove_worker.worker_id;
  return found;
end
$function$;

comment on function queue.workflow_remove_worker(uuid) is
$comment$Removes a worker from the list of workers; a worker does this when it stops.
worker_id: as given to workflow_report_worker().
Returns false if the worker is not in the list.
Touches: queue.workflow_worker.$comment$;
