create or replace function queue._check_test(document jsonb, options jsonb)
returns void
language plpgsql
stable
as $function$
declare
  v_message text;
begin
  if (jsonb_typeof(options) = 'object' and jsonb_typeof(options -> 'pins') = 'object') is not true then
    perform queue._raise('OX004', 'pins and options of a test are no JSON objects', null,
      'Pass pins such as {"fetch": {"output": 1}}, and options such as {"until": "fetch"}.');
  end if;
  v_message := case
    when octet_length(options::text) > 1048576 then 'the pins of a test have more than 1048576 bytes'
    when coalesce(options ->> 'effects', '') not in ('mock', 'real') then
      format('invalid effects "%s" of a test', left(options ->> 'effects', 40))
    when options ? 'until' and options ? 'only' then 'a test has both until and only'
  end;
  if v_message is null then
    select format('unknown option "%s" of a test', left(k.key, 40)) into v_message
    from jsonb_object_keys(options) as k (key)
    where k.key not in ('pins', 'until', 'only', 'item', 'effects')
    limit 1;
  end if;
  if v_message is null then
    select format('a test names node "%s", which the document does not have', left(coalesce(n.id, 'null'), 80))
    into v_message
    from (
      select k.id from jsonb_object_keys(options -> 'pins') as k (id)
      union all
      select options ->> o.key from unnest(array['until', 'only']) as o (key) where options ? o.key
    ) as n (id)
    where not document -> 'nodes' ? coalesce(n.id, '')
    limit 1;
  end if;
  if v_message is null then
    select format('the pin of node "%s" has neither output, handle nor error', left(p.id, 80)) into v_message
    from jsonb_each(options -> 'pins') as p (id, pin)
    where jsonb_typeof(p.pin) is distinct from 'object'
      or not p.pin ?| '{output,handle,error}'
      or p.pin ? 'handle' and jsonb_typeof(p.pin -> 'handle') <> 'string'
      or p.pin ? 'error' and jsonb_typeof(p.pin -> 'error') <> 'object'
    limit 1;
  end if;
  if v_message is not null then
    perform queue._raise('OX004', v_message, null, 'See definition_test().');
  end if;
end
$function$;

comment on function queue._check_test(jsonb, jsonb) is
$comment$Checks the options of a test, with its pins, by the document.
Errors: OX004 invalid argument.$comment$;
