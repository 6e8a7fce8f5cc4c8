create or replace function queue.outbox_done(
  target   integer,
  tail     bigint,
  item_ids bigint[],
  outcomes text[],
  problems text[]
)
returns void
language plpgsql
volatile
security definer
-- plans: index, no bitmap
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_kept     constant interval := interval '1 hour';
  v_seen     bigint;
  v_answered timestamptz;
begin
  if (
    num_nulls(target, tail) = 0
    and cardinality(item_ids) = all (array[cardinality(outcomes), cardinality(problems)])
  ) is not true then
    perform queue._raise('OX004', format('an answer of shard %s that doesn''t fit its items', coalesce(target::text, 'null')), null,
      'Give the answer as accept() has returned it, with one outcome and one problem for each item.');
  end if;
  update queue.outbox as o
  set delivered_at = case when i.outcome <> 'rejected' then v_now end,
    problem = case when i.outcome = 'rejected' then coalesce(i.problem, 'rejected') end
  from unnest(item_ids, outcomes, problems) as i (item_id, outcome, problem)
  where o.item_id = i.item_id
    and o.target = outbox_done.target;

  -- Times count from the answer before, since the target may have been away for long.
  select s.seen_tail, s.answered_at into v_seen, v_answered
  from queue.fleet_shard as s
  where s.shard = outbox_done.target
  for no key update;
  update queue.fleet_shard as s
  set seen_tail = outbox_done.tail,
    answered_at = v_now
  where s.shard = outbox_done.target;
  if v_seen <> tail then
    update queue.outbox as o
    set delivered_at = null
    where o.target = outbox_done.target
      and o.delivered_at > v_answered - v_kept;
  end if;

  -- More than were delivered, so that nothing stays for long.
  delete from queue.outbox as o
  where o.item_id = any (array(
    select d.item_id
    from queue.outbox as d
    where d.target = outbox_done.target
      and d.delivered_at < v_answered - v_kept
    limit 1000
  ));
end
$function$;

comment on function queue.outbox_done(integer, bigint, bigint[], text[], text[]) is
$comment$Notes what another shard did with items that outbox_take() has returned in this transaction. If that shard may have lost its last commits, the items of the hour before its previous answer are sent again, and those that were delivered since. Items that were delivered more than an hour before its previous answer are deleted.
target: number of the shard.
tail, outcomes, problems: as accept() of that shard has returned them for item_ids.
Errors: OX004 invalid argument.
Touches: queue.outbox, queue.fleet_shard.$comment$;
