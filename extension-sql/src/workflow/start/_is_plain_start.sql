create or replace function queue._is_plain_start(
  versions         integer[],
  idempotency_keys text[],
  retention_days   integer[],
  delay_seconds    numeric[],
  on_running       text[],
  on_ended         text[],
  deadline_seconds numeric[]
)
returns boolean
language sql
immutable
parallel safe
as $function$
  select (1 operator(pg_catalog.>) any (versions)) is not true
    and not queue._has_value(idempotency_keys)
    and not queue._has_value(retention_days)
    and not queue._has_value(delay_seconds)
    and not queue._has_value(on_running)
    and not queue._has_value(on_ended)
    and not queue._has_value(deadline_seconds)
$function$;

comment on function queue._is_plain_start(integer[], text[], integer[], numeric[], text[], text[], numeric[]) is
$comment$Returns whether the arguments of a start are certainly valid, which most are: they contain no more than versions. Inlined where it is used.
Returns true; false if _check_start() has to decide.$comment$;
