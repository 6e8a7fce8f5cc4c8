create or replace function queue.outbox_repeat(item_ids bigint[] default null)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_repeated bigint;
begin
  perform queue._ensure_migrated();
  update queue.outbox as o
  set problem = null,
    -- As if it were new.
    body = case when o.kind = 'start' then o.body - 'hops' else o.body end
  where o.problem is not null
    and (outbox_repeat.item_ids is null or o.item_id = any (outbox_repeat.item_ids));
  get diagnostics v_repeated = row_count;
  if v_repeated > 0 then
    perform queue._wake('shard_outbox');
    perform queue._record_action('shard.repeat_items', 'database', array[current_database()],
      jsonb_build_object('items', v_repeated));
  end if;
  return v_repeated;
end
$function$;

comment on function queue.outbox_repeat(bigint[]) is
$comment$Sends items again that another shard has rejected, once their cause is removed.
item_ids: of the items; null means all that were rejected.
Returns how many are sent again.
Touches: queue.outbox; queue.audit; as _wake().$comment$;
