create or replace function queue._is_rejection(code text)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- Connection, transaction state, authorization, conflicts of transactions, resources, locks, operators, system,
  -- functions or tables of another release, a key whose run is changing: an item can't ask to fail by a key that is taken.
  select code !~ '^(08|25|28|3D|40|42|53|55|57|58|F0|XX|OX006|OX010)'
$function$;

comment on function queue._is_rejection(text) is
$comment$Returns whether an error is that of an item, and not of the state of the database: then the item fails again however often it is repeated.
code: SQLSTATE.$comment$;
