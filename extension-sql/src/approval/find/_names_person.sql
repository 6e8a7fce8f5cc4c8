create or replace function queue._names_person(names text[], actor text)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select exists (
    select
    from unnest(names) as n (name)
    where lower(n.name) = lower(actor)
  )
$function$;

comment on function queue._names_person(text[], text) is
$comment$Returns whether a list names a person. Addresses of people are the same in any case of letters.
names: of people; null names nothing.$comment$;
