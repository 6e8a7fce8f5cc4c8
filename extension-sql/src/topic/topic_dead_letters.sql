create or replace function queue.topic_dead_letters(
  after           bigint default 0,
  max_letters     integer default 100,
  subscription_id bigint default null
)
returns setof queue.topic_dead_letter
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  perform queue._require_current_tables();
  perform queue._check_count(max_letters, 'max_letters', 10000, 'Request between 1 and 10000 dead letters at a time.');
  if to_regclass('queue.q___topic_dead_letters') is null then
    return;
  end if;
  return query execute format($sql$
    select m.msg_id, m.enqueued_at, (l.letter -> 'subscription_id')::bigint, l.letter ->> 'target_type',
      l.letter ->> 'target', coalesce(l.letter ->> 'topic', m.headers ->> 'topic'), l.letter ->> 'reason',
      (l.letter -> 'attempts')::integer, m.message, m.headers - array['dead_letter', 'topic']
    from %1$s as m
    cross join lateral (select m.headers -> 'dead_letter' as letter) as l
    where m.msg_id > $1
      and ($3 is null or l.letter -> 'subscription_id' = to_jsonb($3))
    order by m.msg_id
    limit $2
  $sql$, queue._queue_table('__topic_dead_letters'))
  using coalesce(topic_dead_letters.after, 0), max_letters, topic_dead_letters.subscription_id;
end
$function$;

comment on function queue.topic_dead_letters(bigint, integer, bigint) is
$comment$Lists dead letters of topics: messages that a subscription could not take, and deliveries to urls that failed for good. It does not receive them.
after: letter_id of the last row of the previous page; 0 for the first page.
max_letters: size of the page, 1 to 10000.
subscription_id: lists letters of this subscription; null lists all.
Returns one row per letter, oldest first.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads the table of queue __topic_dead_letters.$comment$;
