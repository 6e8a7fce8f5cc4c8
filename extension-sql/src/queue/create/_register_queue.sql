create or replace function queue._register_queue(settings queue.queue_settings)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_differences text;
begin
  if (_register_queue.settings.name ~ '^[a-z0-9_][a-z0-9_-]{0,47}$') is not true then
    perform queue._raise(
      'OX003',
      format('invalid queue name "%s"', coalesce(left(_register_queue.settings.name, 100), 'null')),
      null,
      'A queue name is 1 to 48 characters of a-z, 0-9, "_" and "-", and does not begin with "-".'
    );
  end if;

  -- The second of two concurrent calls waits here and then finds the queue.
  perform queue._lock_name('create:' || _register_queue.settings.name);

  select concat_ws(
    ', ',
    case when q.kind <> n.kind then format('it is a %s queue, not %s', q.kind, n.kind) end,
    case when q.visibility_timeout <> n.visibility_timeout then
      format('visibility_timeout is %s, not %s', q.visibility_timeout, n.visibility_timeout) end,
    case when q.max_receives is distinct from n.max_receives then
      format('max_receives is %s, not %s',
        coalesce(q.max_receives::text, 'null'), coalesce(n.max_receives::text, 'null')) end,
    case when q.dead_letter_queue is distinct from n.dead_letter_queue then
      format('dead_letter_queue is %s, not %s',
        coalesce(quote_ident(q.dead_letter_queue), 'null'), coalesce(quote_ident(n.dead_letter_queue), 'null')) end,
    case when q.retention_seconds is distinct from n.retention_seconds then
      format('retention_seconds is %s, not %s',
        coalesce(q.retention_seconds::text, 'null'), coalesce(n.retention_seconds::text, 'null')) end,
    case when q.delay_seconds <> coalesce(n.delay_seconds, 0) then
      format('delay_seconds is %s, not %s', q.delay_seconds, coalesce(n.delay_seconds, 0)) end,
    case when q.deduplication_scope <> coalesce(n.deduplication_scope, 'queue') then
      format('deduplication_scope is %s, not %s', q.deduplication_scope, coalesce(n.deduplication_scope, 'queue')) end
  )
  into v_differences
  from queue.queue as q
  cross join (select (_register_queue.settings).*) as n
  where q.name = n.name;

  if not found then
    insert into queue.queue (
      name, kind, visibility_timeout, max_receives, dead_letter_queue, retention_seconds, delay_seconds,
      deduplication_scope
    )
    values (
      _register_queue.settings.name, _register_queue.settings.kind, _register_queue.settings.visibility_timeout,
      _register_queue.settings.max_receives, _register_queue.settings.dead_letter_queue,
      _register_queue.settings.retention_seconds, coalesce(_register_queue.settings.delay_seconds, 0),
      coalesce(_register_queue.settings.deduplication_scope, 'queue')
    );
    if _register_queue.settings.kind = 'workflow' then
      perform queue._create_workflow_view(_register_queue.settings.name);
    else
      perform queue._create_queue_table(_register_queue.settings.name, _register_queue.settings.kind);
      perform queue._create_queue_functions(_register_queue.settings.name, _register_queue.settings.kind);
    end if;
    return true;
  elsif v_differences is distinct from '' then
    perform queue._raise(
      'OX002',
      format('queue "%s" exists with other settings: %s', _register_queue.settings.name, v_differences),
      null,
      'Call create_queue() with the settings that the queue has, choose another name, or change the queue with alter_queue().'
    );
  end if;
  return false;
end
$function$;

comment on function queue._register_queue(queue.queue_settings) is
$comment$Creates a queue, unless it exists.
settings: created_at is ignored, a delay_seconds of null is 0, and a deduplication_scope of null is queue; the name may begin with "__", which is reserved for Oxbow.
Returns true if it created the queue; false if the queue exists with these settings.
Errors: OX002 the queue exists with other settings, OX003 invalid name.
Touches: the name, locked until the transaction ends; queue.queue; creates queue.q_<name> and the functions of the queue.$comment$;
