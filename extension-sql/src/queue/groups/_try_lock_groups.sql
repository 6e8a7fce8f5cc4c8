create or replace function queue._try_lock_groups(queue text, message_group_ids text[])
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return array(
    select pg_try_advisory_xact_lock(queue._group_lock_key(_try_lock_groups.queue, g.message_group_id))
    from unnest(message_group_ids) with ordinality as g (message_group_id, position)
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_groups(text, text[]) is
$comment$Does what _lock_groups() does, without waiting.
Returns for each group whether its lock is held.
Touches: the groups' advisory locks (without waiting).$comment$;
