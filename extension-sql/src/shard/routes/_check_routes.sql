create or replace function queue._check_routes(routes text[], idempotency_keys text[])
returns void
language plpgsql
immutable
parallel safe
as $function$
declare
  v_route text;
  v_key   text;
begin
  select i.route, i.key into v_route, v_key
  from unnest(routes, idempotency_keys) as i (route, key)
  where i.route is not null
    and not (
      length(i.route) between 1 and 512
      and case
        when i.key = i.route then true
        when strpos(i.route, '/') > 0 then false
        else i.key is null or starts_with(i.key, i.route || '/')
      end
    )
  limit 1;
  if found then
    if (length(v_route) between 1 and 512 and strpos(v_route, '/') = 0) is not true then
      perform queue._raise('OX004', format('invalid route "%s"', left(v_route, 40)), null,
        'A route is 1 to 512 characters without slashes, unless it is the idempotency key itself.');
    end if;
    perform queue._raise('OX004', format('idempotency key "%s" doesn''t begin with its route', left(v_key, 40)), null,
      format('Begin it with "%s/": two routes may be in one shard, which has one index of keys.', left(v_route, 40)));
  end if;
end
$function$;

comment on function queue._check_routes(text[], text[]) is
$comment$Checks the routes of starts, and that their idempotency keys lead to them.
routes, idempotency_keys: parallel; null for a start without one.
Errors: OX004 invalid argument.$comment$;
