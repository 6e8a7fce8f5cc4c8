create or replace function queue._check_subscription(target_type text, target text, filter jsonb, options jsonb)
returns void
language plpgsql
stable
as $function$
declare
  v_allowed constant jsonb := jsonb_build_object(
    'queue', array['delay_seconds', 'group', 'strict'],
    'http', array['concurrency', 'format', 'group', 'ordered', 'strict'],
    'workflow', array['delay_seconds', 'input', 'once_for', 'retention_days', 'strict', 'tags', 'version']
  );
  v_unknown text;
  v_bad     text;
begin
  if (v_allowed ? target_type) is not true then
    perform queue._raise('OX004', format('invalid target type "%s"', coalesce(target_type, 'null')), null,
      'A target type is queue, http or workflow.');
  end if;

  case target_type
    when 'queue' then
      if ((queue._find_queue(target)).kind = 'fifo' or not options ? 'group') is not true then
        perform queue._raise('OX004', format('queue "%s" has no message groups', target), null,
          'The option "group" is for FIFO queues. Omit it.');
      end if;
    when 'http' then
      if (target ~ '^https?://[^\s/?#]+([/?#]\S*)?$' and octet_length(target) <= 2048) is not true then
        perform queue._raise('OX004', format('invalid url "%s"', left(queue._masked_url(target), 100)), null,
          'Use a url such as https://example.org/hooks, of at most 2048 bytes.');
      end if;
    when 'workflow' then
      perform queue._check_workflow_name(target);
      perform queue._refuse_reserved_workflow(target);
  end case;

  if (octet_length(filter::text) > 65536) is true then
    perform queue._raise('OX008', format('filter of %s bytes is too large', octet_length(filter::text)), null,
      'A filter has at most 65536 bytes.');
  end if;
  if (filter = '[]') is true then
    perform queue._raise('OX004', 'the filter is an empty list', null,
      'A list matches messages that are lists. Pass an object such as {"currency": "EUR"}, or null for all messages.');
  end if;
  if jsonb_typeof(options) is distinct from 'object' then
    perform queue._raise('OX004', format('options are a JSON %s, not an object', jsonb_typeof(options)), null,
      'Pass options as {"name": value}, or null.');
  end if;
  select string_agg(quote_ident(k.key), ', ' order by k.key)
  into v_unknown
  from jsonb_object_keys(options) as k (key)
  where not v_allowed -> target_type ? k.key;
  if v_unknown is not null then
    perform queue._raise('OX004', format('unknown option %s of a %s subscription', v_unknown, target_type), null,
      format('The options are %s.', array_to_string(array(select jsonb_array_elements_text(v_allowed -> target_type)), ', ')));
  end if;
  select string_agg(format('"%s": %s', o.key, left(o.value::text, 100)), ', ' order by o.key)
  into v_bad
  from jsonb_each(options) as o
  where not case o.key
    when 'strict' then jsonb_typeof(o.value) = 'boolean'
    when 'ordered' then jsonb_typeof(o.value) = 'boolean'
    when 'group' then queue._is_message_path(o.value)
    when 'once_for' then jsonb_typeof(o.value) = 'array'
      and jsonb_array_length(o.value) > 0
      and not exists (select from jsonb_array_elements(o.value) as e where not queue._is_message_path(e.value))
    when 'input' then jsonb_typeof(o.value) = 'object'
      and not exists (
        select
        from jsonb_each(o.value) as e
        where not queue._is_message_path(e.value)
          and not (jsonb_typeof(e.value) = 'object' and e.value ? 'const' and e.value - 'const' = '{}')
      )
    when 'version' then o.value @? '$ ? (@.type() == "number" && @ >= 1 && @ == @.floor() && @ <= 2147483647)'
    when 'retention_days' then o.value @? '$ ? (@.type() == "number" && @ >= 0 && @ == @.floor() && @ <= 36500)'
    when 'delay_seconds' then o.value @? '$ ? (@.type() == "number" && @ >= 0 && @ <= 31536000)'
    when 'concurrency' then o.value @? '$ ? (@.type() == "number" && @ >= 1 && @ == @.floor() && @ <= 1000)'
    when 'tags' then jsonb_typeof(o.value) = 'object'
    when 'format' then o.value in ('"plain"', '"cloudevents"')
    else true
  end;
  if v_bad is not null then
    perform queue._raise('OX004', format('invalid option %s', v_bad), null,
      'strict and ordered are true or false; group is a path into the message, such as "order.customer_id"; once_for is a list of paths; input maps names to paths, or to {"const": value}; "$" is the whole message; version, retention_days, delay_seconds and concurrency are numbers; tags are an object; format is plain or cloudevents.');
  end if;
  if (options ? 'group' and options -> 'ordered' = 'true') is true then
    perform queue._raise('OX004', 'options "group" and "ordered" exclude each other', null,
      '"ordered" keeps the order of all deliveries of the subscription, "group" that of each group.');
  end if;
end
$function$;

comment on function queue._check_subscription(text, text, jsonb, jsonb) is
$comment$Checks the arguments of subscribe().
Errors: OX001 no such queue, OX003 invalid name, OX004 invalid argument, OX007 the queue belongs to a workflow, OX008 filter too large.
Touches: nothing; reads queue.queue.$comment$;
