create or replace function queue.definition_delete_test(name text, run_id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._ensure_migrated();
  if not exists (
    select
    from queue.definition_test_run as t
    where t.run_id = definition_delete_test.run_id
      and t.name = definition_delete_test.name
  ) then
    return false;
  end if;
  perform queue._cancel_one_run(run_id, 'the test was deleted', false);
  perform queue._delete_runs(queue._with_items(run_id));
  perform queue._record_action('definition.delete-test', 'definition', array[name], jsonb_build_object('run', run_id));
  return true;
end
$function$;

comment on function queue.definition_delete_test(text, bigint) is
$comment$Deletes a test run with all that belongs to it, in progress or ended, and the items of its loops. Other runs that it has started, which a test with effects may do, are cancelled if they are in progress, and stay.
name: of the definition.
Returns false if it has no test run with this id.
Touches: as workflow_cancel(); queue.workflow_run and the tables of its parts, queue.definition_test_run, queue.audit.$comment$;
