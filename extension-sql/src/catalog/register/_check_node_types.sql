create or replace function queue._check_node_types(pool text, types json)
returns void
language plpgsql
immutable
as $function$
declare
  v_invalid json;
  v_repeated text;
begin
  if queue._is_name(pool) is not true then
    perform queue._raise('OX003', format('invalid pool "%s"', left(coalesce(pool, 'null'), 260)), null,
      'A pool is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  if json_typeof(types) is distinct from 'array' then
    perform queue._raise('OX004', 'invalid node types', null, 'Pass an array of at most 1000 descriptors.');
  end if;
  if (json_array_length(types) > 1000) is true then
    perform queue._raise('OX004', format('%s node types', json_array_length(types)), null,
      'Pass an array of at most 1000 descriptors.');
  end if;

  select d.descriptor into v_invalid
  from json_array_elements(types) as d (descriptor)
  where (
      json_typeof(d.descriptor) = 'object'
      and json_typeof(d.descriptor -> 'type') = 'string'
      and d.descriptor ->> 'type' ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*@[1-9][0-9]{0,8}$'
      and length(d.descriptor ->> 'type') <= 256
      and json_typeof(d.descriptor -> 'params') = 'object'
      and octet_length(d.descriptor::text) <= 262144
    ) is not true
  limit 1;
  if v_invalid is not null then
    perform queue._raise('OX004', format('invalid descriptor of node type "%s"', left(coalesce(v_invalid ->> 'type', ''), 260)),
      null, 'A descriptor is an object of at most 256 kB with a type such as "slack.post@2" and an object params.');
  end if;

  select d.descriptor ->> 'type' into v_repeated
  from json_array_elements(types) as d (descriptor)
  group by 1
  having count(*) > 1
  limit 1;
  if v_repeated is not null then
    perform queue._raise('OX004', format('node type "%s" is given twice', v_repeated), null,
      'Pass one descriptor for each type.');
  end if;
end
$function$;

comment on function queue._check_node_types(text, json) is
$comment$Checks what a worker registers.
Errors: OX003 invalid name of a pool, OX004 invalid types.$comment$;
