create or replace function queue._map_message(
  options     jsonb,
  message     jsonb,
  out input   jsonb,
  out key     text,
  out problem text
)
language plpgsql
immutable
parallel safe
as $function$
declare
  v_missing text[];
begin
  input := message;
  if options = '{}' then
    return;
  end if;

  if options ? 'input' then
    select coalesce(jsonb_object_agg(i.name, i.value) filter (where i.value is not null), '{}'),
      array_agg(distinct i.path order by i.path) filter (where i.value is null)
    into input, v_missing
    from (
      select e.key as name, e.value #>> '{}' as path,
        case jsonb_typeof(e.value)
          when 'object' then e.value -> 'const'
          else queue._at_path(message, e.value #>> '{}')
        end as value
      from jsonb_each(options -> 'input') as e
    ) as i;
  end if;

  if options ? 'once_for' then
    select jsonb_object_agg(o.path, o.value) filter (where o.value is not null)::text,
      coalesce(v_missing, '{}') || array_agg(o.path order by o.path) filter (where o.value is null and o.path <> all (coalesce(v_missing, '{}')))
    into key, v_missing
    from (
      -- The key is text, in which equal numbers may differ.
      select p.path, queue._trim_numbers(queue._at_path(message, p.path)) as value
      from jsonb_array_elements_text(options -> 'once_for') as p (path)
    ) as o;
    if length(key) > 512 then
      key := encode(sha256(convert_to(key, 'UTF8')), 'hex');
    end if;
  elsif options ? 'group' then
    key := queue._trim_numbers(queue._at_path(message, options ->> 'group')) #>> '{}';
    if key is null or key = '' then
      v_missing := array[options ->> 'group'];
    elsif length(key) > 512 then
      key := encode(sha256(convert_to(key, 'UTF8')), 'hex');
    end if;
  end if;

  if v_missing <> '{}' then
    problem := format('the message has no value at "%s"', array_to_string(v_missing, '", "'));
  end if;
end
$function$;

comment on function queue._map_message(jsonb, jsonb) is
$comment$Applies the options of a subscription to a message.
options: of the subscription.
Returns the input of a run; key, which is the idempotency key by once_for or the message group by group (a digest if it is longer than 512 characters); and problem, the reason why the subscription cannot take the message, null if it can.$comment$;
