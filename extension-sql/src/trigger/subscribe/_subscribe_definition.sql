create or replace function queue._subscribe_definition(definition_id bigint)
returns void
language plpgsql
volatile
as $function$
declare
  v_now       constant timestamptz := clock_timestamp();
  v_epoch     constant bigint := queue.definition_epoch();
  v_before    bigint[];
  v_pools     text[];
  v_version   integer;
  v_pool      text;
  v_wanted    queue.trigger_spec[];
  v_subscribe record;
begin
  select d.published_version, d.pool into v_version, v_pool
  from queue.definition as d
  where d.definition_id = _subscribe_definition.definition_id;
  v_wanted := array(
    select row(t.*)::queue.trigger_spec
    from queue._triggers_of(_subscribe_definition.definition_id, v_version) as t
  );
  v_before := array(
    select t.subscription_id
    from queue.definition_trigger as t
    where t.definition_id = _subscribe_definition.definition_id
      and t.subscription_id is not null
  );

  -- First, as ticks lock them: a tick then takes its trigger.
  perform from queue.schedule as s where s.definition_id = _subscribe_definition.definition_id order by s.name for update;
  v_pools := array(
    select distinct t.pool
    from queue.definition_trigger as t
    where t.definition_id = _subscribe_definition.definition_id
      and t.pool <> v_pool
    order by t.pool
  );

  delete from queue.definition_trigger as t
  where t.definition_id = _subscribe_definition.definition_id
    and t.name not in (select w.name from unnest(v_wanted) as w);
  if v_wanted <> '{}' then
    perform queue._create_trigger_queue(v_pool);
    insert into queue.definition_trigger as t (
      definition_id, epoch, listening_since, version, pool, name, kind, pattern, filter, spec
    )
    select _subscribe_definition.definition_id, v_epoch, v_now, v_version, v_pool, w.name, w.kind, w.pattern,
      w.filter, w.spec
    from unnest(v_wanted) as w
    on conflict on constraint definition_trigger_pkey do update
    set subscription_id = null,
      epoch = excluded.epoch,
      listening_since = case when t.pattern = excluded.pattern then t.listening_since else excluded.listening_since end,
      version = excluded.version,
      pool = excluded.pool,
      kind = excluded.kind,
      pattern = excluded.pattern,
      filter = excluded.filter,
      spec = excluded.spec;
    for v_subscribe in
      select w.pattern, w.filter, array_agg(w.name) as names
      from unnest(v_wanted) as w
      where w.kind in ('topic', 'run.ended')
        and w.filter is distinct from 'false'
      group by w.pattern, w.filter
      order by w.pattern, w.filter
    loop
      update queue.definition_trigger as t
      set subscription_id = queue._subscribe_pool(v_subscribe.pattern, v_subscribe.filter, v_pool)
      where t.definition_id = _subscribe_definition.definition_id
        and t.name = any (v_subscribe.names);
    end loop;
    perform queue._move_events(_subscribe_definition.definition_id, p.pool, v_pool) from unnest(v_pools) as p (pool);
    insert into queue.definition_former_pool as f (left_at, definition_id, pool)
    select v_now, _subscribe_definition.definition_id, p.pool
    from unnest(v_pools) as p (pool)
    on conflict on constraint definition_former_pool_pkey do update
    set left_at = excluded.left_at;
  end if;
  delete from queue.definition_former_pool as f
  where f.definition_id = _subscribe_definition.definition_id
    and f.pool = v_pool;

  perform queue._plan_schedules(_subscribe_definition.definition_id);
  -- Webhook triggers keep their addresses.
  insert into queue.definition_hook as h (created_at, definition_id, trigger_name, hook_id)
  select v_now, t.definition_id, t.name, replace(gen_random_uuid()::text, '-', '')
  from queue.definition_trigger as t
  where t.definition_id = _subscribe_definition.definition_id
    and t.kind = 'webhook'
  order by t.name
  on conflict on constraint definition_hook_of_trigger do nothing;

  -- A publish that has found a subscription reads it again: one that is replaced stays for a while, or the message would
  -- reach neither.
  update queue.subscription as s
  set options = jsonb_build_object('unused_since', v_now)
  where s.subscription_id = any (v_before)
    and v_wanted <> '{}'
    and not exists (select from queue.definition_trigger as t where t.subscription_id = s.subscription_id);
  delete from queue.subscription as s
  where s.subscription_id = any (v_before)
    and v_wanted = '{}'
    and not exists (select from queue.definition_trigger as t where t.subscription_id = s.subscription_id);
  perform queue._delete_unused_subscriptions(v_now);
end
$function$;

comment on function queue._subscribe_definition(bigint) is
$comment$Makes the triggers of the published version those that are in force, and subscribes what they want; without a published version, no trigger is. The caller holds the lock for all publishing, and has counted the epoch.
Events that wait for the workers of another pool are sent to those of the new one, and events that reach it later are forwarded.
Errors: OX003 invalid pool, OX004 invalid pattern, OX008 filter too large.
Touches: queue.definition_trigger, queue.definition_former_pool, queue.schedule, queue.definition_hook, queue.subscription, with a lock on each pattern until the transaction ends; as _register_queue() at the first trigger of a pool; as _move_events().$comment$;
