create or replace function queue._author(actor text)
returns text
language plpgsql
stable
as $function$
begin
  if actor is not null and queue._is_name(actor) is not true then
    perform queue._raise('OX004', format('invalid actor "%s"', left(actor, 260)), null,
      'An actor is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  if actor is null or not queue._is_administrator() then
    return (queue._actor()).name;
  end if;
  return actor;
end
$function$;

comment on function queue._author(text) is
$comment$Returns the author of a change to a definition: the actor that the caller names, which is believed only from administrators, otherwise the actor of the transaction.
Errors: OX004 invalid actor.$comment$;
