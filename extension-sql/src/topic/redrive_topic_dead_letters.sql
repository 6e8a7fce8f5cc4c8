create or replace function queue.redrive_topic_dead_letters(
  max_letters     integer default 1000,
  subscription_id bigint default null,
  letter_ids      bigint[] default null
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_letters       constant regclass := to_regclass('queue.q___topic_dead_letters');
  v_ids           bigint[];
  v_subscriptions bigint[];
  v_message       jsonb;
  v_headers       jsonb;
  v_redriven      bigint := 0::bigint;
begin
  perform queue._ensure_migrated();
  perform queue._check_count(max_letters, 'max_letters', null, 'Redrive at least one dead letter.');
  if (cardinality(letter_ids) > 10000) is true then
    perform queue._raise('OX004', format('%s letter_ids are too many', cardinality(letter_ids)), null,
      'Select at most 10000 dead letters at a time.');
  end if;
  if v_letters is null then
    return bigint '0';
  end if;
  execute format($sql$
    select array_agg(l.msg_id), array_agg(distinct l.subscription_id)
    from (
      select m.msg_id, (m.headers #>> '{dead_letter,subscription_id}')::bigint as subscription_id
      from %1$s as m
      where (m.receipt is null or m.visible_at <= $1)
        and ($3 is null or m.headers #> '{dead_letter,subscription_id}' = to_jsonb($3))
        and ($4 is null or m.msg_id = any ($4))
        -- Not exists(), which may read all letters once for each subscription.
        and (
          select s.disabled_at is null
          from queue.subscription as s
          where s.subscription_id = (m.headers #>> '{dead_letter,subscription_id}')::bigint
        )
      order by m.msg_id
      limit $2
      for update skip locked
    ) as l
  $sql$, v_letters)
  into v_ids, v_subscriptions
  using clock_timestamp(), max_letters, redrive_topic_dead_letters.subscription_id, letter_ids;
  v_subscriptions := array(select queue._lock_subscriptions(v_subscriptions));
  for v_message, v_headers in
    execute format($sql$
      with taken as (
        delete from %1$s as m
        where m.msg_id = any ($1)
          and (m.headers #>> '{dead_letter,subscription_id}')::bigint = any ($2)
        returning m.msg_id, m.message, m.headers
      )
      select t.message, t.headers
      from taken as t
      order by t.msg_id
    $sql$, v_letters)
    using v_ids, v_subscriptions
  loop
    v_redriven := v_redriven + queue._publish(
      v_headers #>> '{dead_letter,topic}',
      v_message,
      v_headers - 'dead_letter',
      array[(v_headers #>> '{dead_letter,subscription_id}')::bigint]
    );
  end loop;
  perform queue._record_action(
    'dead_letter.redrive', 'subscription', array[coalesce(redrive_topic_dead_letters.subscription_id::text, 'all')],
    jsonb_build_object('messages', v_redriven), changed => v_redriven > 0
  );
  return v_redriven;
end
$function$;

comment on function queue.redrive_topic_dead_letters(integer, bigint, bigint[]) is
$comment$Publishes dead letters of topics again, each to its own subscription. A letter that the subscription still cannot take becomes a new dead letter; one whose subscription is disabled or deleted stays. redrive('__topic_dead_letters') does the same for all subscriptions.
max_letters: at most this many, oldest first.
subscription_id: redrives letters of this subscription; null redrives all.
letter_ids: redrives these letters, at most 10000; null redrives all.
Returns how many messages were published.
Errors: OX004 invalid argument, or a strict subscription still cannot take a message.
Touches: the table of queue __topic_dead_letters (SKIP LOCKED); as _lock_subscriptions(); then as send_topic(); queue.audit.$comment$;
