create or replace function queue._subscribe_pool(pattern text, filter jsonb, pool text)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_id bigint;
begin
  perform queue._check_topic(pattern, true);
  if (octet_length(filter::text) > 65536) is true then
    perform queue._raise('OX008', format('filter of %s bytes is too large', octet_length(filter::text)), null,
      'The scope of a definition and what its guard compares with literals have at most 65536 bytes together.');
  end if;
  perform queue._lock_name('subscribe:' || pattern);
  v_id := queue._find_subscription(pattern, 'definition', pool, filter);
  if v_id is not null then
    update queue.subscription as s
    set options = '{}'
    where s.subscription_id = v_id
      and s.options <> '{}';
  else
    perform queue._create_internal_queue('__topic_dead_letters', 'standard');
    perform queue._skip_lost_ids();
    insert into queue.subscription (filter_hash, pattern, filter_path, target_type, target, filter, options)
    select k.filter_hash, _subscribe_pool.pattern, k.filter_path, 'definition', pool, _subscribe_pool.filter, '{}'
    from queue._filter_key(_subscribe_pool.pattern, _subscribe_pool.filter) as k
    returning subscription_id into v_id;
  end if;
  return v_id;
end
$function$;

comment on function queue._subscribe_pool(text, jsonb, text) is
$comment$Subscribes the workers of a pool to messages: one subscription for all triggers that want the same.
Returns its id.
Errors: OX004 invalid pattern, OX008 filter too large.
Touches: the pattern, locked until the transaction ends; queue.subscription.$comment$;
