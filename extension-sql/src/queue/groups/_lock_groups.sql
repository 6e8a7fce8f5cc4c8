create or replace function queue._lock_groups(queue text, message_group_ids text[])
returns void
language plpgsql
volatile
as $function$
begin
  perform case
      when not pg_try_advisory_xact_lock(k.key) then queue._await_lock(k.key, false, format('message groups of queue "%s"', queue))
    end
  from (
    select distinct queue._group_lock_key(_lock_groups.queue, g.message_group_id) as key
    from unnest(message_group_ids) as g (message_group_id)
    order by key
  ) as k;
end
$function$;

comment on function queue._lock_groups(text, text[]) is
$comment$Makes the caller's transaction the only one that may append to these groups or change their heads, until it ends. Commits then have the order of message ids.
Touches: the groups' advisory locks, in the order of their keys (waits).$comment$;
