create or replace function queue._receive(
  settings           queue.queue_settings,
  max_messages       integer,
  visibility_timeout integer,
  matching           jsonb,
  suspects           integer,
  max_per_group      integer default 1,
  out msg_ids           bigint[],
  out receipts          bigint[],
  out read_cts          integer[],
  out enqueued_ats      timestamptz[],
  out visible_ats       timestamptz[],
  out message_group_ids text[],
  out messages          jsonb[],
  out headers           jsonb[],
  out suspect           bigint
)
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, no sort, generic
as $function$
declare
  v_is_first      constant boolean := pg_current_xact_id_if_assigned() is null;
  v_is_grouped    boolean := (_receive.settings).grouped_at is not null;
  v_per_group     integer := max_per_group;
  v_now           constant timestamptz := clock_timestamp();
  v_lease         constant interval := case
    when _receive.visibility_timeout < 0 then queue._duration(_receive.visibility_timeout, 'visibility timeout')
    else make_interval(secs => coalesce(_receive.visibility_timeout, (_receive.settings).visibility_timeout))
  end;
  v_claim         text;
  v_mark          queue.queue_mark;
  -- Clients read an answer as one text, which in JavaScript ends at 512 MiB, escapes included.
  v_room          bigint := bigint '67108864';
  v_msg_ids       bigint[];
  v_receipts      bigint[];
  v_read_cts      integer[];
  v_enqueued_ats  timestamptz[];
  v_visible_ats   timestamptz[];
  v_groups        text[];
  v_messages      jsonb[];
  v_headers       jsonb[];
  v_previous      bigint[];
  v_undeliverable bigint[];
  v_expired       bigint[];
  v_put_apart     bigint[];
  v_too_often     bigint[];
  v_has_suspects  boolean := false;
  v_takes_suspect boolean;
  v_took          interval;
begin
  msg_ids := array[]::bigint[];
  -- A copy sends nothing to urls and fires no schedule.
  if (_receive.settings).name in ('__http', '__schedules') and queue._must_hold(true) then
    return;
  end if;
  -- Its snapshot would be older than the locks under which heads are promoted.
  if ((_receive.settings).kind <> 'fifo' or current_setting('transaction_isolation') = 'read committed') is not true then
    perform queue._raise(
      'OX004',
      format('cannot receive from FIFO queue "%s" in a %s transaction', (_receive.settings).name,
        current_setting('transaction_isolation')),
      null,
      'Use isolation level read committed.'
    );
  end if;
  if (max_messages between 1 and 10000) is not true then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Receive between 1 and 10000 messages at a time.');
  end if;

  if (max_per_group between 1 and 10) is not true then
    perform queue._raise('OX004', format('invalid max_per_group %s', coalesce(max_per_group::text, 'null')), null,
      'Receive between 1 and 10 messages of a group at a time.');
  end if;
  if max_per_group > 1 and not v_is_grouped then
    if ((_receive.settings).kind = 'fifo') is not true then
      perform queue._raise('OX004', format('queue "%s" has no message groups', (_receive.settings).name), null,
        'Leave max_per_group out, or receive from a FIFO queue.');
    end if;
    v_is_grouped := queue._mark_grouped((_receive.settings).name);
    if not v_is_grouped then
      v_per_group := 1;
    end if;
  end if;
  v_claim := case
    when v_is_grouped then
      format('select * from queue.%I($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)', '_groups_q_' || (_receive.settings).name)
    else format('select * from queue.%I($1, $2, $3, $4, $5, $6, $7, $8, $9)', '_receive_q_' || (_receive.settings).name)
  end;

  select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
  into v_mark
  from queue.ready_mark as r
  where r.queue_name = (_receive.settings).name
    and r.part = 0
  order by r.mark_id desc
  limit 1;

  if (_receive.settings).suspected_at is not null and coalesce(_receive.suspects, 1) > 0 then
    v_has_suspects := exists (select from queue.suspect as s where s.queue_name = (_receive.settings).name);
  end if;

  -- A receive that finds dead letters, tombstones or suspects instead of messages moves them and looks again.
  for v_round in 1 .. 100 loop
    -- First: under a backlog, a suspect would never have its turn.
    v_takes_suspect := v_has_suspects and suspect is null;
    if v_takes_suspect then
      v_has_suspects := false;
      select r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages,
        r.headers, r.receipts[1]
      into v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers, suspect
      from queue._receive_suspect(_receive.settings, v_lease, matching) as r;
      v_previous := null;
      v_undeliverable := null;
      v_expired := null;
    else
      execute v_claim
      into v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers,
        v_previous, v_undeliverable, v_expired
      using clock_timestamp(), case when v_mark.taken_at <= v_now then v_mark.ready_from else '-infinity' end,
        max_messages - cardinality(msg_ids), v_lease,
        -- A lease of 0 has ended already, which does not mean that its consumer has died.
        case coalesce(_receive.suspects, -1) when -1 then max_messages = 1 else _receive.suspects = 2 end
          or v_lease = interval '0',
        matching,
        -- With a visibility timeout of 0, what an earlier round has delivered is ready again.
        msg_ids, v_now - make_interval(secs => (_receive.settings).retention_seconds), v_room, v_per_group,
        coalesce((_receive.settings).max_receives, 2147483646);
    end if;

    v_put_apart := null;
    -- Nothing that Oxbow's own queues hold ends a consumer.
    if v_previous is not null and not starts_with((_receive.settings).name, '__') then
      select j.undeliverable, j.put_apart
      into v_too_often, v_put_apart
      from queue._judge_redelivered(_receive.settings, v_receipts, v_read_cts, v_previous) as j;
      if v_too_often is not null or v_put_apart is not null then
        v_has_suspects := v_put_apart is not null and coalesce(_receive.suspects, 1) > 0;
        v_undeliverable := v_undeliverable || v_too_often;
        select array_agg(d.msg_id order by d.place), array_agg(d.receipt order by d.place),
          array_agg(d.read_ct order by d.place), array_agg(d.enqueued_at order by d.place),
          array_agg(d.visible_at order by d.place), array_agg(d.message_group_id order by d.place),
          array_agg(d.message order by d.place), array_agg(d.headers order by d.place)
        into v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers
        from unnest(
          v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers
        ) with ordinality
          as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers, place)
        where d.receipt <> all (coalesce(v_too_often || v_put_apart, '{}'));
      end if;
    end if;

    msg_ids := msg_ids || v_msg_ids;
    receipts := receipts || v_receipts;
    read_cts := read_cts || v_read_cts;
    enqueued_ats := enqueued_ats || v_enqueued_ats;
    visible_ats := visible_ats || v_visible_ats;
    message_group_ids := message_group_ids || v_groups;
    messages := messages || v_messages;
    headers := headers || v_headers;
    exit when v_undeliverable is null and v_expired is null and v_put_apart is null and not v_takes_suspect;
    if v_undeliverable is not null or v_expired is not null then
      perform queue._clear_undeliverable(_receive.settings, v_undeliverable, v_expired);
    end if;
    v_room := v_room - coalesce((select sum(queue._json_size(m)) from unnest(v_messages) as m), 0);
    exit when cardinality(msg_ids) = max_messages or v_room <= 0;
  end loop;

  v_took := clock_timestamp() - v_now;
  if cardinality(msg_ids) > 0 and queue._must_record_clock(v_now) then
    perform queue._record_clock(v_now);
  end if;
  if v_is_first
    and (
      queue._is_clock_set_back(queue._clock_shown(), v_now)
      or cardinality(msg_ids) = 0 and exists (select from queue.clock_correction as c where c.again_at <= v_now)
    )
  then
    perform queue._correct_clock_setback();
  elsif v_is_first and queue._is_mark_due(v_mark, v_now, v_took, cardinality(msg_ids)) then
    perform queue._advance_ready_mark(
      v_mark, (_receive.settings).name, 0, queue._queue_table((_receive.settings).name),
      case (_receive.settings).kind when 'fifo' then 'm.head' else 'true' end, v_now
    );
    if (_receive.settings).kind = 'fifo' then
      -- What is behind a head is read after this transaction has its own id.
      perform queue._advance_id_mark(
        (_receive.settings).name,
        case when v_is_grouped then null else (select max(i.id) from unnest(msg_ids) as i (id)) end
      );
    end if;
  end if;
end
$function$;

comment on function queue._receive(queue.queue_settings, integer, integer, jsonb, integer, integer) is
$comment$Leases ready messages; of a FIFO queue, heads of groups, and with max_per_group what is directly behind them. Messages that were delivered max_receives times move to the dead letter queue instead; those older than the queue's retention are dropped. Suspects are put apart, and one of them is leased.
visibility_timeout: null means the queue's. matching: null takes any. suspects: as in receive(). max_per_group: as in receive_fifo(); 1 if another open transaction is the first one of the queue to receive more.
The planner has no choice but the order of the ready index: statistics of a queue are always out of date, and every other plan reads all that waits.
Returns the deliveries as parallel arrays, a suspect and then the oldest first, of 64 MiB together or of one message, and the receipt of the suspect; empty or null when nothing is ready, or when a hundred rounds found dead letters only.
Errors: OX004 invalid argument, or a FIFO queue in a transaction that is not read committed.
Touches: the queue's table, rows of the ready index (locked with SKIP LOCKED), from its mark on, which moves now and then; queue.suspect; see _clear_undeliverable() for dead letters.$comment$;
