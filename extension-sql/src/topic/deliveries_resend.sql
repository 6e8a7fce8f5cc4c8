create or replace function queue.deliveries_resend(delivery_ids bigint[])
returns setof queue.resent_delivery
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_letters  constant regclass := to_regclass('queue.q___topic_dead_letters');
  v_logged   record;
  v_resent   bigint[] := '{}'::bigint[];
  v_advanced bigint[];
  v_message  jsonb;
  v_problem  text;
begin
  perform queue._ensure_migrated();
  if (cardinality(delivery_ids) > 1000) is true then
    perform queue._raise('OX004', format('%s delivery_ids are too many', cardinality(delivery_ids)), null,
      'Resend at most 1000 deliveries at a time.');
  end if;
  if to_regclass('queue.q___http') is not null then
    v_advanced := queue._advance_deliveries(delivery_ids);
  end if;

  -- Everything is locked before anything is published, which waits for message groups: after the messages the log, as
  -- settling does, then the letters, in the order in which they are deleted elsewhere, and last the subscriptions.
  perform l.delivery_id
  from queue.logged_delivery as l
  where l.delivery_id = any (delivery_ids)
  order by l.delivery_id
  for no key update;
  if v_letters is not null then
    execute format($sql$
      select m.msg_id
      from %1$s as m
      where m.msg_id = any (
        array(select l.letter_id from queue.logged_delivery as l where l.delivery_id = any ($1) and l.status = 'failed')
      )
      order by m.msg_id
      for update
    $sql$, v_letters)
    using delivery_ids;
  end if;
  perform
  from queue._lock_subscriptions(array(
    select l.subscription_id
    from queue.logged_delivery as l
    where l.delivery_id = any (delivery_ids)
  ));

  for v_logged in
    select i.delivery_id, l.status, l.message, l.headers, l.published_at, l.letter_id, l.subscription_id,
      s.subscription_id is not null as has_subscription, s.disabled_reason,
      i.delivery_id = any (v_advanced) as is_advanced
    from (
      select distinct d.delivery_id from unnest(delivery_ids) as d (delivery_id) where d.delivery_id is not null
    ) as i
    left join queue.logged_delivery as l
      on l.delivery_id = i.delivery_id
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
      when v_logged.status = 'delivered' and v_logged.message is null then
        'its message has more than 64 KiB, which the log does not keep'
    end;
    v_message := v_logged.message;
    -- Its letter goes first: if another call or a redrive has sent it, or an operator has deleted it, this one sends nothing.
    if v_problem is null and v_logged.status = 'failed' then
      execute format('delete from %1$s as m where m.msg_id = $1 returning m.message', v_letters)
      into v_message
      using v_logged.letter_id;
      if v_message is null then
        v_problem := 'its dead letter was sent again or deleted';
      end if;
    end if;
    if v_problem is null and v_logged.status <> 'waiting' then
      perform queue._publish(
        v_logged.headers ->> 'topic',
        v_message,
        v_logged.headers - 'topic' || jsonb_build_object(
          'webhook_id', queue._webhook_id(v_logged.headers, v_logged.published_at, v_logged.delivery_id)
        ),
        array[v_logged.subscription_id]
      );
    end if;
    if v_problem is null then
      v_resent := v_resent || v_logged.delivery_id;
    end if;
    return next row(v_logged.delivery_id, v_problem)::queue.resent_delivery;
  end loop;
  perform queue._record_action('delivery.resend', 'delivery', v_resent::text[]);
end
$function$;

comment on function queue.deliveries_resend(bigint[]) is
$comment$Sends deliveries of the log again, with the same webhook id, by which their receiver recognizes them. One that waits for another attempt is due immediately; a server whose url is held back by Retry-After, or has no free place, puts it off again. One that was delivered is queued for its subscription again, as a new delivery, as is one that failed for good, whose dead letter is deleted.
delivery_ids: as returned by deliveries_list(), at most 1000.
Returns a row per id, with the reason if the delivery is not sent again: the log does not have it, an attempt is being made, its dead letter was sent again or deleted, it was delivered and has more than 64 KiB, or its subscription has ended or is disabled.
Errors: OX004 invalid argument, or a strict subscription cannot take the message.
Touches: the table of queue __http, queue.logged_delivery and the table of queue __topic_dead_letters, rows by id, each locked in the order of its ids (waits); as _lock_subscriptions(); then as send_topic(); queue.audit.$comment$;
