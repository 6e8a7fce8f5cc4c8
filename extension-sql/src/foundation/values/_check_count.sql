create or replace function queue._check_count(
  count  bigint,
  name   text default 'max_runs',
  most   bigint default 10000,
  remedy text default 'Request between 1 and 10000 runs at a time.'
)
returns void
language plpgsql
immutable
parallel safe
as $function$
begin
  if (count between 1 and coalesce(most, count)) is not true then
    perform queue._raise('OX004', format('invalid %s %s', name, coalesce(count::text, 'null')), null, remedy);
  end if;
end
$function$;

comment on function queue._check_count(bigint, text, bigint, text) is
$comment$Checks an argument that is a number of things, such as the size of a page.
name: of the argument. most: null for any number from 1.
Errors: OX004 invalid argument.$comment$;
