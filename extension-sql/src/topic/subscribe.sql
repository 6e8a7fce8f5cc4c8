create or replace function queue.subscribe(
  pattern     text,
  target_type text,
  target      text,
  filter      jsonb default null,
  options     jsonb default null
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_options  constant jsonb := coalesce(options, '{}');
  v_existing record;
  v_id       bigint;
begin
  perform queue._ensure_migrated();
  perform queue._check_topic(pattern, true);
  perform queue._check_subscription(target_type, target, filter, v_options);

  -- The second of two concurrent calls with the same arguments waits here and finds the subscription.
  perform queue._lock_name('subscribe:' || pattern);
  v_id := queue._find_subscription(pattern, target_type, target, filter);
  select s.subscription_id, s.options
  into v_existing
  from queue.subscription as s
  where s.subscription_id = v_id;

  if not found then
    if target_type = 'queue' then
      perform queue._lock_queue_shared(target);
    end if;
    perform queue._create_internal_queue('__topic_dead_letters', 'standard');
    if target_type = 'http' then
      perform queue._create_internal_queue('__http', 'fifo');
    end if;
    perform queue._skip_lost_ids();
    insert into queue.subscription (filter_hash, pattern, filter_path, target_type, target, filter, options)
    select k.filter_hash, subscribe.pattern, k.filter_path, subscribe.target_type, subscribe.target, subscribe.filter, v_options
    from queue._filter_key(subscribe.pattern, subscribe.filter) as k
    returning subscription_id into v_id;
    perform queue._record_action('subscription.create', 'subscription', array[v_id::text],
      jsonb_build_object('pattern', pattern, 'target_type', target_type, 'target', queue._masked_url(target)));
    return v_id;
  elsif v_existing.options is distinct from v_options then
    perform queue._raise(
      'OX002',
      format('subscription %s, of %s "%s" to "%s", exists with other options: %s, not %s',
        v_existing.subscription_id, target_type, queue._masked_url(target), pattern, v_existing.options, v_options),
      null,
      'Unsubscribe first, in the same transaction if you can''t miss a message.'
    );
  end if;
  return v_existing.subscription_id;
end
$function$;

comment on function queue.subscribe(text, text, text, jsonb, jsonb) is
$comment$Subscribes a target to topics: messages published after the commit to a matching topic also go there. Subscribing again with the same arguments returns the existing subscription.
pattern: words separated by "."; "*" matches one word, "#" zero or more words. Topics that begin with "oxbow." are matched only by patterns that do so.
target_type: queue, http or workflow.
target: name of an existing queue, a url, or the name of a workflow.
filter: takes only messages that contain this JSON (message @> filter).
options: a JSON object with any of the following keys. A path is keys separated by "."; "$" is the whole message.
- strict (all targets): if true, a publish fails if this subscription cannot take the message. Otherwise, and on topics of Oxbow, the message becomes a dead letter with the reason: see topic_dead_letters().
- group (FIFO queue, http): path to the value that is the message group, which keeps its order. Without it, the topic is the group in a FIFO queue, and http deliveries have no order.
- delay_seconds (queue, workflow): delay of the message or of the run.
- ordered (http): if true, all deliveries keep the order of the publishes: one at a time, and a failing one blocks those behind it.
- concurrency (http): how many deliveries one server makes at a time.
- format (http): plain, where the body is the message, or cloudevents.
- once_for (workflow): a list of paths; one run exists for each combination of the values there, across all subscriptions.
- input (workflow): maps names of the input to paths, or to {"const": value}. Without it, the message is the input.
- version, retention_days, tags (workflow): as in workflow_start(). A subscription cannot take a message while its definition has no such version.
Returns the subscription's id.
Errors: OX001 no such queue, OX002 the subscription exists with other options, OX003 invalid name, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow, OX008 filter too large.
Touches: the pattern, locked until the transaction ends; the queue's table (shared, until then); queue.subscription; creates the queues __http and __topic_dead_letters with the first subscription that needs them; queue.audit.$comment$;
