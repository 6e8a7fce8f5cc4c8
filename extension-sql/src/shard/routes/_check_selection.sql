create or replace function queue._check_selection(route text, slots integer[])
returns void
language plpgsql
immutable
parallel safe
as $function$
begin
  if num_nonnulls(route, slots) <> 1 then
    perform queue._raise('OX004',
      format('invalid route "%s" and slots %s', coalesce(left(route, 40), 'null'), coalesce(left(slots::text, 40), 'null')), null,
      'Give a route or slots, and null for the other.');
  end if;
  if exists (select from unnest(slots) as s (slot) where s.slot is null or s.slot not between 0 and 1023) then
    perform queue._raise('OX004', format('invalid slots %s', left(slots::text, 100)), null, 'A slot is 0 to 1023.');
  end if;
end
$function$;

comment on function queue._check_selection(text, integer[]) is
$comment$Checks what is to move: a route, or the routes of slots.
Errors: OX004 invalid argument.$comment$;
