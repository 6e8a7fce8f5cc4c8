create or replace function queue._actor(actor text)
returns text
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if actor is null then
    return queue._caller()::text;
  end if;
  if not queue._is_name(actor) then
    perform queue._raise('OX004', format('invalid actor "%s"', left(actor, 260)), null,
      'An actor is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  return actor;
end
$function$;

comment on function queue._actor(text) is
$comment$Returns who makes a change: the actor that the caller names, otherwise the role of the session.
Errors: OX004 invalid actor.
Touches: nothing.$comment$;
