create or replace function queue._holds_next(queue text, message_group_id text)
returns boolean
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select exists (
    select
    from queue.leaving_group as l
    where l.queue_name = queue
      and l.message_group_id = _holds_next.message_group_id
      and l.held_id = 0
  )
$function$;

comment on function queue._holds_next(text, text) is
$comment$Returns whether the next message that is sent to a leaving group is held, so that the group comes to rest.
queue, message_group_id: of a group whose lock the caller holds.
Touches: nothing; reads queue.leaving_group.$comment$;
