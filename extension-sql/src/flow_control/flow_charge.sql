create or replace function queue.flow_charge(name text, amount integer, flow_key text default null)
returns timestamptz
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_queue_id integer;
  v_limits   queue.flow_limits;
  v_now      timestamptz;
  v_opens_at timestamptz;
begin
  perform queue._require_current_tables();
  if (amount between 1 and 1000000000) is not true then
    perform queue._raise('OX004', format('invalid amount %s of a charge: it is a whole number from 1 to 1000000000', amount), null,
      'Correct the amount. Nothing was written.');
  elsif flow_key is not null and (length(flow_key) between 1 and 512) is not true then
    perform queue._raise('OX004', format('invalid flow key "%s": a key is 1 to 512 characters', left(flow_key, 40)), null,
      'Correct the key. Nothing was written.');
  end if;
  v_queue_id := queue._workflow_queue_id(name);
  if v_queue_id is not null then
    perform pg_advisory_xact_lock(hashtextextended('oxbow:admit:' || v_queue_id, 0));
  end if;
  v_limits := (select queue._flow_limits(q.flow_control) from queue.queue as q where q.queue_id = v_queue_id);
  if (v_limits.spacing is not null or v_limits.key_spacing is not null and flow_key is not null) is not true then
    perform queue._raise('OX004',
      case
        when v_limits.key_spacing is null then format('workflow "%s" has no rate limit to charge', left(name, 80))
        else format('a charge of workflow "%s" without a flow key: its rate limit is per key', left(name, 80))
      end,
      null,
      'Set rate_limit or rate_limit_per_key with workflow_set_flow_control(), and name the key of a limit per key. Nothing was written.');
  end if;

  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_now := clock_timestamp();
  with charged as (
    select u.key, u.spacing, u.burst,
      greatest(g.filled_at, v_now) + make_interval(secs => least(extract(epoch from u.spacing) * amount, 3155760000)) as filled_at
    from (
      values ('', v_limits.spacing, v_limits.burst), (flow_key, v_limits.key_spacing, v_limits.key_burst)
    ) as u (key, spacing, burst)
    left join queue.workflow_gate as g on g.queue_id = v_queue_id and g.key = u.key
    where u.key is not null
      and u.spacing is not null
  ),
  written as (
    insert into queue.workflow_gate as g (opens_at, filled_at, queue_id, key)
    select queue._gate_opens_at(c.key, c.filled_at, v_limits, v_now, true), c.filled_at, v_queue_id, c.key
    from charged as c
    on conflict on constraint workflow_gate_pkey do update
    set filled_at = excluded.filled_at,
      -- An earlier time remains: a run of the key that was locked may wait for it (_refresh_gates).
      opens_at = least(g.opens_at, excluded.opens_at)
  )
  select max(queue._gate_opens_at(c.key, c.filled_at, v_limits, v_now, true)) into v_opens_at
  from charged as c
  where queue._rate_room(c.filled_at, c.spacing, c.burst, v_now) = 0;
  return v_opens_at;
end
$function$;

comment on function queue.flow_charge(text, integer, text) is
$comment$Counts towards the rate limits of a workflow what a run has used beyond itself, such as the tokens of a language model: the next runs begin when the rate has caught up. Runs in flight continue. Holds the lock of the workflow's admission until the transaction ends: make it the last statement of a short one.
amount: in the unit of the rate limit, of which each run that begins takes 1; from 1 to 1000000000.
flow_key: for rate_limit_per_key; null if the workflow has no limit per key, or the amount doesn't count towards it.
Returns when the next run may begin; null if it may begin now.
Errors: OX004 invalid argument, or no rate limit to charge.
Touches: an advisory lock of the workflow; queue.workflow_gate.$comment$;
