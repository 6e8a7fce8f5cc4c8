create or replace function queue._check_subscription_options(options jsonb)
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_bad text;
begin
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
end
$function$;

comment on function queue._check_subscription_options(jsonb) is
$comment$Checks the values of a subscription's options.
Errors: OX004 invalid argument, with the invalid values.
Touches: nothing.$comment$;
