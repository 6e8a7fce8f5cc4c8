create or replace function queue._shift_deadlines(items jsonb, after timestamptz, shift interval)
returns jsonb
language sql
stable
as $function$
  select pg_catalog.jsonb_agg(
      case
        when u.until > after then
          pg_catalog.jsonb_set(
            i.item, '{until}',
            pg_catalog.to_jsonb(
              pg_catalog.to_char((u.until + shift) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            )
          )
        else i.item
      end
      order by i.n
    )
  from pg_catalog.jsonb_array_elements(items) with ordinality as i (item, n)
  -- Workers write deadlines as ISO 8601 text. Other values mean nothing to them and stay.
  cross join lateral (
    select case
      when i.item ->> 'until' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d' then (i.item ->> 'until')::timestamptz
    end
  ) as u (until)
$function$;

comment on function queue._shift_deadlines(jsonb, timestamptz, interval) is
$comment$Shifts the deadlines in the waits or the retries of a continuation.
items: its waits or its retries; until is ISO 8601 text.
after: deadlines up to then stay.
shift: in whole milliseconds.
Returns the items; null instead of an empty array.$comment$;
