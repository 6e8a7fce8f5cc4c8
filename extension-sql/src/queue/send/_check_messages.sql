create or replace function queue._check_messages(messages jsonb[], headers jsonb[])
returns void
language plpgsql
stable
parallel safe
as $function$
declare
  v_max_bytes   constant integer := 16777216;
  v_size        integer;
  v_are_objects boolean;
begin
  if messages is null then
    perform queue._raise('OX004', 'messages are null', null, 'To send nothing, pass an empty array.');
  end if;
  if (array_ndims(messages) > 1) is true then
    perform queue._raise('OX004', 'messages are an array of arrays', null,
      'Pass an array with one element per message.');
  end if;
  if (cardinality(headers) = cardinality(messages)) is false then
    perform queue._raise(
      'OX004',
      format('%s headers for %s messages', cardinality(headers), cardinality(messages)),
      null,
      'Pass no headers, or one element per message.'
    );
  end if;
  if array_position(messages, null) is not null then
    perform queue._raise('OX004', 'message is null', null, 'For an empty message, send JSON null or {}.');
  end if;
  -- The history of a dead letter comes on top of a valid message, and must not prevent its move.
  select
    max(
      pg_column_size(i.message)
        + case jsonb_typeof(i.headers)
          when 'object' then coalesce(pg_column_size(nullif(i.headers - 'dead_letter', '{}')), 0)
          else 0
        end
    ),
    bool_and(jsonb_typeof(i.headers) = 'object')
  into v_size, v_are_objects
  from unnest(messages, headers) as i (message, headers);
  if v_are_objects is false then
    perform queue._raise('OX004', 'headers are not a JSON object', null, 'Pass headers as {"name": value}, or null.');
  end if;
  if (v_size > v_max_bytes) is true then
    perform queue._raise(
      'OX008',
      format('message of %s bytes is too large', v_size),
      format('A message with its headers has at most %s bytes.', v_max_bytes),
      'Store large data elsewhere, and send a reference to it.'
    );
  end if;
end
$function$;

comment on function queue._check_messages(jsonb[], jsonb[]) is
$comment$Checks messages before a send writes anything.
headers: null, or one element per message. The history of a dead letter in them does not count as size.
Errors: OX004 invalid argument, OX008 too large.$comment$;
