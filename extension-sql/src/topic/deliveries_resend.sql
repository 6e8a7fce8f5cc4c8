create or replace function queue.deliveries_resend(delivery_ids bigint[])
returns setof queue.resent_delivery
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_logged   record;
  v_resent   bigint[] := '{}'::bigint[];
  v_advanced bigint[];
  v_problem  text;
begin
  perform queue._ensure_migrated();
  if cardinality(delivery_ids) > 1000 then
    perform queue._raise('OX004', format('%s delivery_ids are too many', cardinality(delivery_ids)), null,
      'Resend at most 1000 deliveries at a time.');
  end if;
  if to_regclass('queue.q___http') is not null then
    v_advanced := queue._advance_deliveries(delivery_ids);
  end if;

  -- The lock keeps two callers from resending the same failed delivery and its dead letter.
  for v_logged in
    select i.delivery_id, l.status, l.message, l.headers, l.published_at, l.letter_id, l.subscription_id,
      s.subscription_id is not null as has_subscription, s.disabled_reason,
      i.delivery_id = any (v_advanced) as is_advanced
    from (
      select distinct d.delivery_id from unnest(delivery_ids) as d (delivery_id) where d.delivery_id is not null
    ) as i
    left join lateral (
      select known.*
      from queue.logged_delivery as known
      where known.delivery_id = i.delivery_id
      for no key update
    ) as l on true
    left join queue.subscription as s
      on s.subscription_id = l.subscription_id
    order by i.delivery_id
  loop
    v_problem := case
      when v_logged.status is null then 'the log does not have this delivery, or no longer'
      when v_logged.is_advanced then null
      when v_logged.status = 'waiting' then 'an attempt is being made'
      when not v_logged.has_subscription then format('subscription %s has ended', v_logged.subscription_id)
      when v_logged.disabled_reason is not null then
        format('subscription %s is disabled: %s', v_logged.subscription_id, v_logged.disabled_reason)
    end;
    if v_problem is null and v_logged.status <> 'waiting' then
      perform queue._publish(
        v_logged.headers ->> 'topic',
        v_logged.message,
        v_logged.headers - 'topic' || jsonb_build_object(
          'webhook_id', queue._webhook_id(v_logged.headers, v_logged.published_at, v_logged.delivery_id)
        ),
        array[v_logged.subscription_id]
      );
      execute format('delete from %1$s as m where m.msg_id = $1', queue._queue_table('__topic_dead_letters'))
      using v_logged.letter_id;
    end if;
    if v_problem is null then
      v_resent := v_resent || v_logged.delivery_id;
    end if;
    return next row(v_logged.delivery_id, v_problem)::queue.resent_delivery;
  end loop;
  perform queue._record_action('delivery.resend', 'delivery', v_resent::text[], 'changed');
end
$function$;

comment on function queue.deliveries_resend(bigint[]) is
$comment$Sends deliveries of the log again, with the same webhook id, by which their receiver recognizes them. One that waits for another attempt is attempted at once. One that was delivered or failed for good is queued for its subscription again, as a new delivery; its dead letter is deleted.
delivery_ids: as returned by deliveries_list(), at most 1000.
Returns a row per id, with the reason if the delivery is not sent again: the log does not have it, an attempt is being made, or its subscription has ended or is disabled.
Errors: OX004 invalid argument, or a strict subscription cannot take the message.
Touches: queue.logged_delivery; as change_visibility_batch(), queue __http; the table of queue __topic_dead_letters; then as send_topic(); queue.audit.$comment$;
