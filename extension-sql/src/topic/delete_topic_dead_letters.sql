create or replace function queue.delete_topic_dead_letters(letter_ids bigint[])
returns setof bigint
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_deleted bigint[];
begin
  perform queue._ensure_migrated();
  if to_regclass('queue.q___topic_dead_letters') is null then
    return;
  end if;
  execute format($sql$
    with letters as materialized (
      select m.msg_id
      from %1$s as m
      where m.msg_id = any ($1)
      order by m.msg_id
      for update
    ),
    deleted as (
      delete from %1$s as m
      using letters
      where m.msg_id = letters.msg_id
      returning m.msg_id
    )
    select array_agg(deleted.msg_id order by deleted.msg_id) from deleted
  $sql$, queue._queue_table('__topic_dead_letters'))
  into v_deleted
  using delete_topic_dead_letters.letter_ids;
  perform queue._record_action('dead_letter.delete', 'dead_letter', v_deleted::text[]);
  return query select d.msg_id from unnest(v_deleted) as d (msg_id);
end
$function$;

comment on function queue.delete_topic_dead_letters(bigint[]) is
$comment$Deletes dead letters of topics for good.
letter_ids: as returned by topic_dead_letters(); ids that no longer exist are skipped.
Returns the ids that were deleted, in no order.
Touches: the table of queue __topic_dead_letters, rows by id, locked in their order; queue.audit.$comment$;
