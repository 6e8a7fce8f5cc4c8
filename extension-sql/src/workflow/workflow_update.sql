create or replace function queue.workflow_update(
  run_id         bigint,
  tags           jsonb default null,
  retention_days integer default null
)
returns boolean
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_max_days constant integer := queue._max_retention_days();
  v_changed  boolean;
begin
  perform queue._migrate_if_older();
  if (jsonb_typeof(tags) = 'object') is false then
    perform queue._raise('OX004', format('tags of run %s are not a JSON object: %s', run_id, left(tags::text, 40)), null,
      'Pass an object such as {"tenant": "acme"}; {} removes all tags.');
  end if;
  perform queue._check_start(null, null, array[retention_days], null, null, null);

  with given as (
    select r.run_id,
      -- The run reads its schedule from the tag.
      case when workflow_update.tags is null then r.tags
        else nullif(
          workflow_update.tags
          || case when r.scheduled_at is null then '{}' else jsonb_build_object('schedule', r.tags -> 'schedule') end,
          '{}'
        )
      end as tags,
      coalesce(least(workflow_update.retention_days, v_max_days), r.retention_days) as days
    from queue.workflow_run as r
    where r.run_id = workflow_update.run_id
    for no key update
  ),
  updated as (
    update queue.workflow_run as r
    set tags = given.tags,
      retention_days = given.days,
      expires_at = r.completed_at + make_interval(days => given.days)
    from given
    where r.run_id = given.run_id
      and (r.tags is distinct from given.tags or r.retention_days <> given.days)
    returning r.run_id
  )
  select exists (select from updated) into v_changed from given;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  perform queue._record_action('run.update', 'run', array[run_id::text],
    jsonb_build_object('retention_days', retention_days, 'tags', case when tags is not null then true end),
    changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.workflow_update(bigint, jsonb, integer) is
$comment$Changes the tags or the retention of a run, in progress or ended.
tags: replace all tags of the run; an empty object removes them. A scheduled run keeps the tag schedule. Null leaves them unchanged.
retention_days: how long the run is kept after its end, 0 to 36500, at most the ceiling of workflow_set_max_retention(). 0 deletes an ended run at the next sweep. Null leaves it unchanged.
Returns true if this call changed the run.
Errors: OX004 invalid argument, OX005 no such run.
Touches: queue.workflow_run; queue.audit, without the tags.$comment$;
