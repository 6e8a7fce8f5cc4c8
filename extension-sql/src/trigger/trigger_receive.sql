create or replace function queue.trigger_receive(
  pool               text,
  max_events         integer default 1,
  visibility_timeout integer default null,
  known_epoch        bigint default null
)
returns queue.trigger_batch
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_received record;
  v_batch    queue.trigger_batch;
begin
  perform queue._ensure_migrated();
  v_batch.events := '[]';
  if queue._must_hold(false) then
    v_batch.epoch := coalesce(known_epoch, 0);
    return v_batch;
  end if;
  select r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.messages, r.headers
  into v_received
  from queue._receive(
    queue._internal_queue(queue._trigger_queue(pool)), max_events, visibility_timeout, null, 0
  ) as r;
  if cardinality(v_received.msg_ids) = 0 then
    v_batch.epoch := coalesce(known_epoch, 0);
    return v_batch;
  end if;

  -- In one statement, so that the triggers are those among which the events were matched.
  select e.epoch,
    case
      when e.epoch is distinct from known_epoch then (
        select jsonb_agg(
            jsonb_build_object(
              'definition', d.name, 'version', t.version, 'name', t.name,
              'subscriptionId', case when d.pool = trigger_receive.pool then t.subscription_id::text end,
              'spec', t.spec, 'loads', to_jsonb(coalesce(y.loaded, '{}')), 'isGone', d.pool <> trigger_receive.pool
            )
            order by d.name, t.name
          )
        from queue.definition_trigger as t
        join queue.definition as d on d.definition_id = t.definition_id
        left join queue.trigger_type as y
          on y.pool = d.pool
          and y.name = t.spec ->> 'on'
        where (
            d.pool = trigger_receive.pool
            or known_epoch is not null and exists (
              select
              from queue.definition_former_pool as f
              where f.definition_id = t.definition_id
                and f.pool = trigger_receive.pool
            )
          )
          and (known_epoch is null or t.epoch > known_epoch)
      )
    end,
    (
      select jsonb_agg(
          jsonb_build_object(
            'eventId', h.headers ->> 'event_id',
            'receipt', i.receipt::text,
            'attempts', i.read_ct,
            'publishedAt', extract(epoch from coalesce((h.headers ->> 'published_at')::timestamptz, i.enqueued_at)) * 1000,
            'topic', h.headers ->> 'topic',
            'message', i.message,
            'only', h.headers -> 'only',
            'subscriptionIds', case
              when h.headers ? 'only' then '[]'
              else array_to_json(queue._subscriptions_for(h.headers ->> 'topic', i.message)::text[])::jsonb
            end
          )
          order by i.position
        )
      from unnest(
        v_received.receipts, v_received.read_cts, v_received.enqueued_ats, v_received.messages, v_received.headers
      ) with ordinality as i (receipt, read_ct, enqueued_at, message, headers, position)
      cross join lateral queue._event_headers(i.headers) as h (headers)
    )
  into v_batch
  from queue.definition_setting as e;
  return v_batch;
end
$function$;

comment on function queue.trigger_receive(text, integer, integer, bigint) is
$comment$For workers: leases events that triggers of a pool's definitions want, with the triggers that have changed since. The worker evaluates the guards and reports with trigger_commit().
pool: as in the settings of documents.
visibility_timeout: of the lease, in seconds; null means 30.
known_epoch: of the last batch, whose triggers the worker still knows; null if it doesn't know any.
Returns the batch. Each event has eventId, receipt, attempts, counting this one, publishedAt in milliseconds since 1970, topic, message, subscriptionIds, of which a trigger that wants it has one, and only, if it is for one trigger. Each trigger has definition, version, name, subscriptionId, spec, and loads, the members that its type loads: a worker that does not load them gives the event back. A trigger whose definition has moved to another pool isGone. One that was removed is not listed: trigger_commit() ignores it. epoch: for the next call.
Errors: OX001 no worker has declared the pool, OX004 invalid argument.
Touches: the table of queue __tr_<pool>; reads queue.definition_trigger, queue.definition_former_pool, queue.trigger_type, queue.subscription.$comment$;
