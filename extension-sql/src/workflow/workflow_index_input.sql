create or replace function queue.workflow_index_input(name text, indexed boolean default true)
returns boolean
language plpgsql
volatile
security definer
set lock_timeout = '2s'
as $function$
declare
  v_index text;
begin
  perform queue._ensure_migrated();
  if indexed is null then
    perform queue._raise('OX004', 'invalid indexed null', null, 'Pass true or false.');
  end if;
  v_index := queue._input_index(coalesce(queue._workflow_queue_id(name), queue._create_workflow_queue(name)));
  if indexed = (to_regclass('queue.' || v_index) is not null) then
    return false;
  end if;

  begin
    lock table queue.workflow_run in share mode;
  exception when lock_not_available then
    perform queue._raise('OX009', 'an open transaction has written runs for longer than 2 seconds', null,
      'Try again. If that fails repeatedly, find the transaction in pg_stat_activity.');
  end;
  if indexed then
    execute format(
      'create index %1$I on queue.workflow_run using gin (input jsonb_path_ops) where workflow_name = %2$L',
      v_index, workflow_index_input.name
    );
  else
    execute format('drop index queue.%1$I', v_index);
  end if;
  perform queue._record_action('workflow.index_input', 'workflow', array[workflow_index_input.name],
    jsonb_build_object('indexed', indexed));
  return true;
end
$function$;

comment on function queue.workflow_index_input(text, boolean) is
$comment$Creates or drops an index on the inputs of one workflow. With the index, lists, counts, exports and changes by filter find runs by name and a part of their input. Every start and end of a run of this workflow writes to it; other workflows are not affected.
indexed: false drops the index.
Returns true if this call changed anything.
Errors: OX003 invalid workflow name, OX004 invalid argument, OX009 an open transaction has written runs for longer than 2 seconds.
Touches: queue.workflow_run, locked in share mode: no run starts or ends until the caller's transaction ends. For millions of runs, call it at a quiet time; queue.audit.$comment$;
