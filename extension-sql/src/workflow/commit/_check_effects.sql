create or replace function queue._check_effects(
  run_count        integer,
  effect_items     integer[],
  effect_kinds     text[],
  effect_steps     text[],
  effect_targets   text[],
  effect_events    text[],
  effect_versions  integer[],
  effect_retention integer[]
)
returns void
language plpgsql
immutable
parallel safe
as $function$
declare
  v_message text;
begin
  select c.message into v_message
  from unnest(
    effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_versions, effect_retention
  ) with ordinality as e (item, kind, step, target, event, version, retention, n)
  cross join lateral (
    select case
      when e.item is null or e.kind is null or e.step is null then
        format('effect %s of a commit lacks its item, kind or step', e.n)
      when e.item not between 1 and run_count then
        format('the effect of step "%s" refers to item %s of a commit with %s items', e.step, e.item, run_count)
      when e.kind not in ('invoke', 'item', 'detach', 'cancel', 'signal', 'publish', 'subscribe', 'approval', 'withdraw') then
        format('invalid effect "%s" of step "%s": it is invoke, item, detach, cancel, signal, publish, subscribe, approval or withdraw',
          left(e.kind, 40), e.step)
      when e.target is null and e.kind not in ('cancel', 'approval', 'withdraw') then format('the %s of step "%s" has no target', e.kind, e.step)
      when e.kind in ('invoke', 'item', 'detach') and e.target !~ '^[a-z0-9][a-z0-9_-]{0,42}$' then
        format('step "%s" invokes "%s", which is not a valid workflow name', e.step, left(e.target, 60))
      when e.version < 1 then format('invalid version %s of the run that step "%s" invokes: a version is 1 or more', e.version, e.step)
      when e.retention not between 0 and 36500 then
        format('invalid retention of %s days of the run that step "%s" invokes: it is between 0 and 36500', e.retention, e.step)
      when e.kind = 'signal'
        and case when e.target ~ '^[0-9]{1,19}$' then e.target::numeric > 9223372036854775807 else true end
      then
        format('step "%s" signals "%s", which is not a run id', e.step, left(e.target, 40))
      when e.kind = 'cancel' and exists (
        select
        from unnest(effect_items, effect_kinds, effect_steps) as o (item, kind, step)
        where o.item = e.item
          and o.step = e.step
          and o.kind in ('invoke', 'item', 'detach')
      ) then
        format('step "%s" invokes a run and cancels it in one commit', e.step)
      when e.kind in ('invoke', 'detach', 'cancel') and length(e.event) not between 1 and 512 then
        format('invalid route "%s" of the run that step "%s" invokes: a route is 1 to 512 characters', left(e.event, 40), e.step)
      when e.kind in ('signal', 'subscribe') and not queue._is_name(e.event) then
        format('invalid event name "%s" of step "%s"', left(coalesce(e.event, 'null'), 260), e.step)
    end
  ) as c (message)
  where c.message is not null
  order by e.n
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null,
      'See workflow_commit() for the kinds of effects. Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_effects(integer, integer[], text[], text[], text[], text[], integer[], integer[]) is
$comment$Checks the effects of a commit before anything is written.
run_count: number of runs in the commit.
effect_...: as in workflow_commit().
Errors: OX004 invalid argument, with the first invalid value.$comment$;
