create or replace function queue._event_headers(headers jsonb)
returns jsonb
language plpgsql
stable
as $function$
declare
  v_headers jsonb := headers;
  v_only    constant jsonb := headers -> 'only';
begin
  if (headers ?| array['only', 'pools', 'published_at']) is not true then
    return headers;
  end if;
  if (
    jsonb_typeof(v_only) = 'object'
    and jsonb_typeof(v_only -> 'definition') = 'string'
    and jsonb_typeof(v_only -> 'trigger') = 'string'
    and coalesce(jsonb_typeof(v_only -> 'recheck'), 'boolean') = 'boolean'
  ) is not true then
    v_headers := v_headers - 'only';
  end if;
  if (jsonb_typeof(headers -> 'pools') = 'array') is not true then
    v_headers := v_headers - 'pools';
  end if;
  -- Events that move have one of the others as well.
  if (v_headers ?| array['only', 'pools'] and headers ->> 'published_at' ~ '^\d{4,}-\d\d-\d\dT') is not true then
    return v_headers - 'published_at';
  end if;
  begin
    perform (headers ->> 'published_at')::timestamptz;
  exception
    when data_exception then
      return v_headers - 'published_at';
  end;
  return v_headers;
end
$function$;

comment on function queue._event_headers(jsonb) is
$comment$Leaves out what looks like Oxbow's own headers of an event, and is not: older releases sent a publisher's headers of these names along.
headers: of a message of a queue __tr_<pool>.
Returns them with only, pools and published_at only in the form that _move_events(), _send_moved_events(), _send_directed() and _record_matches() give them.$comment$;
