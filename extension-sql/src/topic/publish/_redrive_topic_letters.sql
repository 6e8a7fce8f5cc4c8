create or replace function queue._redrive_topic_letters(
  max_messages    bigint,
  subscription_id bigint,
  letter_ids      bigint[]
)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_message  jsonb;
  v_headers  jsonb;
  v_redriven bigint := 0::bigint;
begin
  for v_message, v_headers in
    execute format($sql$
      with letters as materialized (
        select m.msg_id
        from %1$s as m
        where (m.receipt is null or m.visible_at <= $1)
          and ($3 is null or m.headers #> '{dead_letter,subscription_id}' = to_jsonb($3))
          and ($4 is null or m.msg_id = any ($4))
          and exists (
            select
            from queue.subscription as s
            where s.subscription_id = (m.headers #>> '{dead_letter,subscription_id}')::bigint
              and s.disabled_at is null
          )
        order by m.msg_id
        limit $2
        for update skip locked
      ),
      taken as (
        delete from %1$s as m
        using letters
        where m.msg_id = letters.msg_id
        returning m.msg_id, m.message, m.headers
      )
      select t.message, t.headers
      from taken as t
      order by t.msg_id
    $sql$, queue._queue_table('__topic_dead_letters'))
    using v_now, max_messages, _redrive_topic_letters.subscription_id, letter_ids
  loop
    v_redriven := v_redriven + queue._publish(
      v_headers #>> '{dead_letter,topic}',
      v_message,
      v_headers - 'dead_letter',
      array[(v_headers #>> '{dead_letter,subscription_id}')::bigint]
    );
  end loop;
  return v_redriven;
end
$function$;

comment on function queue._redrive_topic_letters(bigint, bigint, bigint[]) is
$comment$Publishes dead letters of topics again, in their order: see redrive_topic_dead_letters().
subscription_id: redrives letters of this subscription; null redrives all.
letter_ids: redrives these letters; null redrives all.
Returns how many messages were published.
Touches: the table of queue __topic_dead_letters (SKIP LOCKED); then as send_topic().$comment$;
