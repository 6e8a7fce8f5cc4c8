create or replace function queue._other_home(route text)
returns smallint
language plpgsql
stable
as $function$
begin
  perform queue._check_id(route, 'route');
  if not queue._in_fleet() then
    return null;
  end if;
  return (
    select h.shard
    from queue._homes_of(array[_other_home.route]) as h
    join queue.fleet as f on f.shard <> h.shard
  );
end
$function$;

comment on function queue._other_home(text) is
$comment$Returns the number of the other shard where a route is at home; null if that is this one, or this database is standalone.
Errors: OX004 invalid route.
Touches: nothing; as _homes_of().$comment$;
