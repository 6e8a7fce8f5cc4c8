create or replace function queue._last_own_id(id bigint)
returns bigint
language plpgsql
stable
parallel safe
as $function$
begin
  if not queue._in_fleet() then
    return null;
  end if;
  return (((_last_own_id.id >> 36) + 1) << 36) - 1;
end
$function$;

comment on function queue._last_own_id(bigint) is
$comment$Returns the last id of the block of an id, which a shard must not exceed; null in a standalone database.$comment$;
