create or replace function queue._shift_deadlines(items jsonb, after timestamptz, shift interval)
returns jsonb
language sql
immutable
as $function$
  select pg_catalog.jsonb_agg(
      case
        when (i.item ->> 'until')::numeric > extract(epoch from after) * 1000 then
          pg_catalog.jsonb_set(
            i.item, '{until}',
            pg_catalog.to_jsonb((i.item ->> 'until')::numeric + pg_catalog.trunc(extract(epoch from shift) * 1000))
          )
        else i.item
      end
      order by i.n
    )
  from pg_catalog.jsonb_array_elements(items) with ordinality as i (item, n)
$function$;

comment on function queue._shift_deadlines(jsonb, timestamptz, interval) is
$comment$Puts off what waits and retries of a continuation are to end by.
items: its waits, or its retries. after: what was due by then is left alone. shift: in whole milliseconds.
Returns the items; null where there are none.
Touches: nothing.$comment$;
