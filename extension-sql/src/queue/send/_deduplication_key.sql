create or replace function queue._deduplication_key(scope text, message_group_id text, deduplication_id text)
returns text
language plpgsql
immutable
parallel safe
as $function$
begin
  if scope = 'group' then
    -- The two ids together may be longer than what an index takes.
    return 'group:' || encode(
      sha256(convert_to(length(message_group_id) || ':' || message_group_id || deduplication_id, 'UTF8')), 'hex'
    );
  end if;
  return deduplication_id;
end
$function$;

comment on function queue._deduplication_key(text, text, text) is
$comment$Returns under what queue.deduplication has the deduplication id of a message: the id, or a hash of it and the message group if ids count within their group.
scope: the queue's: queue or group.
Returns null for an id that is null.$comment$;
