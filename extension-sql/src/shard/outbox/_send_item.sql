create or replace function queue._send_item(target smallint, kind text, cause text, body jsonb)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_item_id bigint;
begin
  -- The id of the item must not be one that a lost commit has used.
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  insert into queue.outbox (created_at, target, kind, cause, body)
  values (clock_timestamp(), _send_item.target, _send_item.kind, _send_item.cause, _send_item.body)
  returning item_id into v_item_id;
  perform queue._wake('shard_outbox');
  return v_item_id;
end
$function$;

comment on function queue._send_item(smallint, text, text, jsonb) is
$comment$Sends an item to another shard: a relay delivers it soon after the commit.
kind, cause, body: as in queue.outbox.
Returns its id.
Touches: queue.outbox; as _wake().$comment$;
