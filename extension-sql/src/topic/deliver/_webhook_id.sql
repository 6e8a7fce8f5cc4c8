create or replace function queue._webhook_id(headers jsonb, published_at timestamptz, msg_id bigint)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- A restored database draws the same numbers again, but not in the same millisecond.
  select case
    when _webhook_id.headers ->> 'webhook_id' ~ '^[A-Za-z0-9_.:-]{1,128}$' then _webhook_id.headers ->> 'webhook_id'
    else format(
      'msg_%s_%s', to_hex(trunc(extract(epoch from _webhook_id.published_at) * 1000)::bigint), _webhook_id.msg_id
    )
  end
$function$;

comment on function queue._webhook_id(jsonb, timestamptz, bigint) is
$comment$Returns the header webhook-id of a delivery: the same at each attempt and after a redrive, so that receivers recognize a repeated delivery.
headers: of the message; publishers may choose the id as "webhook_id".$comment$;
