create or replace function queue._subscribe_waits(
  run_ids        bigint[],
  held           boolean[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_steps   text[],
  effect_targets text[],
  effect_events  text[],
  effect_values  jsonb[]
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform queue._check_topic(e.target, true)
  from unnest(effect_kinds, effect_targets) as e (kind, target)
  where e.kind = 'subscribe';

  perform queue._skip_lost_ids();
  -- A commit may be repeated after a lost answer, and a run after a crash.
  insert into queue.subscription (filter_hash, pattern, filter_path, target_type, target, filter, options)
  select k.filter_hash, e.target, k.filter_path, 'run', run_ids[e.item]::text, e.value,
    jsonb_build_object('step', e.step, 'event', e.event)
  from unnest(effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values)
    as e (item, kind, step, target, event, value)
  cross join lateral queue._filter_key(e.target, e.value) as k
  where e.kind = 'subscribe'
    and held[e.item]
    and not exists (
      select
      from queue.subscription as s
      where s.target_type = 'run'
        and s.target = run_ids[e.item]::text
        and s.options ->> 'step' = e.step
    );
end
$function$;

comment on function queue._subscribe_waits(bigint[], boolean[], integer[], text[], text[], text[], text[], jsonb[]) is
$comment$Subscribes runs to the topics that their steps wait for.
held: by position, which leases are locked.
effect_...: as in workflow_commit().
Errors: OX004 invalid topic, OX008 match too large.
Touches: queue.subscription.$comment$;
