create or replace function queue._accept_signals(bodies jsonb[], items integer[])
returns integer[]
language plpgsql
volatile
-- plans: index, no bitmap, nested loop
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_event    record;
  v_sent     integer[];
  v_names    text[];
  v_run_ids  bigint[];
  v_messages jsonb[];
  v_waits    jsonb[];
  v_payloads jsonb[];
begin
  -- All are matched against the waits as they are. The first of a run that finds one takes it. If a later one finds
  -- another wait beside that, the events of this run are left.
  for v_event in
    with sent as materialized (
      select i.item, (b.body ->> 'run')::bigint as run_id, b.body ->> 'event' as event, b.body -> 'payload' as payload,
        b.body ? 'deduplicationId' as has_id
      from unnest(items) as i (item)
      cross join lateral (select bodies[i.item] as body) as b
    ),
    -- Few, as a rule.
    named as materialized (
      select distinct s.event from sent as s
    ),
    -- Outer joins, so that the events come first.
    found as materialized (
      select s.item, s.run_id, s.event, s.payload, r.workflow_name, r.status::text as status, m.message,
        m.receipt is not null and m.visible_at > v_now as is_leased,
        not s.has_id and s.event = any (array(select n.event from named as n where queue._is_name(n.event))) as is_plain
      from sent as s
      left join queue.workflow_run as r on r.run_id = s.run_id
      left join queue.workflow_continuation as m on m.msg_id = s.run_id
    ),
    matched as materialized (
      select f.*, case
          when f.message -> 'waits' @> jsonb_build_array(jsonb_build_object('event', f.event)) then
            queue._first_matching_wait(f.message -> 'waits', f.event, f.payload)
        end as wait
      from found as f
      where f.status = 'running'
        and f.message is not null
    ),
    compared as materialized (
      select m.*, first_value(m.item) over first as first_item, first_value(m.wait) over first as taken
      from matched as m
      window first as (partition by m.run_id order by m.wait is null, m.item)
    ),
    judged as materialized (
      select c.*,
        bool_and(
          coalesce(c.is_plain, false)
          and case
            when c.wait is null or c.is_leased then true
            when c.item = c.first_item then not queue._must_buffer(c.run_id, c.message, c.wait, c.payload)
            else queue._first_matching_wait(queue._waits_but(c.message -> 'waits', array[c.taken ->> 'step']), c.event, c.payload) is null
          end
        ) over (partition by c.run_id) as fits
      from compared as c
    ),
    buffered as (
      insert into queue.workflow_buffered_signal (run_id, received_at, event, payload)
      select j.run_id, v_now, j.event, j.payload
      from judged as j
      where j.fits
        and (j.taken is null or j.is_leased or j.item <> j.first_item)
      order by j.item
    )
    select j.item, j.run_id, j.workflow_name, j.message, j.taken, j.payload, j.is_leased,
      j.item = j.first_item and j.taken is not null as takes
    from judged as j
    where j.fits
  loop
    v_sent := v_sent || v_event.item;
    if v_event.takes and v_event.is_leased then
      perform queue._notify_worker(v_event.workflow_name, v_event.run_id);
    elsif v_event.takes then
      v_names := v_names || v_event.workflow_name;
      v_run_ids := v_run_ids || v_event.run_id;
      v_messages := v_messages || v_event.message;
      v_waits := v_waits || v_event.taken;
      v_payloads := array_append(v_payloads, v_event.payload);
    end if;
  end loop;
  if v_run_ids is not null then
    perform queue._deliver_signals(v_names, v_run_ids, v_messages, v_waits, v_payloads, v_now);
  end if;
  return array(
    select i.item
    from unnest(items) with ordinality as i (item, n)
    where v_sent is null
      or i.item <> all (v_sent)
    order by i.n
  );
end
$function$;

comment on function queue._accept_signals(jsonb[], integer[]) is
$comment$Sends events of another shard to running runs of this one, many in one statement, with the effects that workflow_signal() has for one after the other.
bodies: as _send_signal() writes them.
items: positions of those to send, in their order. The caller has locked the continuations of the runs.
Returns the items that are left for workflow_signal(): of runs that have ended or are not here; and all of a run if one of its events has a deduplication id or a malformed name, if a second one finds a wait, or if the first that finds one must be buffered: see _must_buffer().
Touches: queue.workflow_buffered_signal; as _deliver_signals(); NOTIFY if a run waits for an event while it is executed.$comment$;
