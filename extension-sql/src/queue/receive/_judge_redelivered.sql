create or replace function queue._judge_redelivered(
  settings queue.queue_settings,
  receipts bigint[],
  read_cts integer[],
  previous bigint[],
  out undeliverable bigint[],
  out put_apart     bigint[]
)
language plpgsql
volatile
-- plans: index, nested loop
as $function$
begin
  execute format($sql$
    with redelivered as (
      select i.receipt, row_number() over (order by i.position) as place
      from unnest($1, $2) with ordinality as i (receipt, read_ct, position)
      where i.read_ct > 1
    ),
    judged as materialized (
      select m.ctid, m.msg_id, m.receipt, p.receipt as previous, m.read_ct, m.spared as spared_before,
        -- Its lease expired, and its consumer had not set when it becomes visible.
        p.receipt is not null and coalesce(m.spared, 0) >= 0 as is_silent,
        case
          when m.spared < 0 then ~m.spared
          when p.receipt & 1 = 0 then coalesce(m.spared, 0) + 1
          else m.spared
        end as spared
      from redelivered as r
      join unnest($3) with ordinality as p (receipt, place) on p.place = r.place
      join %1$s as m
        on m.msg_id = queue._receipt_msg_id(r.receipt)
        and m.receipt = r.receipt
    ),
    doubtful as materialized (
      select j.*, j.read_ct - coalesce(j.spared, 0) > $4 as is_undeliverable,
        (j.is_silent and j.spared >= 2 and j.read_ct - j.spared <= $4) is true as may_be_suspect
      from judged as j
    ),
    -- The first suspect of a queue is noted with the queue, so that receives of others need not look. If another open
    -- transaction is noting one, the message is delivered once more with others.
    first as materialized (
      select q.ctid
      from queue.queue as q
      where q.name = $5
        and q.suspected_at is null
        and exists (select from doubtful as d where d.may_be_suspect)
      for no key update skip locked
    ),
    first_noted as (
      update queue.queue as q
      set suspected_at = clock_timestamp()
      from first
      where q.ctid = first.ctid
    ),
    fated as materialized (
      select d.*, d.may_be_suspect and a.is_noted as is_suspect
      from doubtful as d
      cross join (
        select exists (select from first)
          or exists (select from queue.queue as q where q.name = $5 and q.suspected_at is not null)
      ) as a (is_noted)
    ),
    changed as (
      update %1$s as m
      set spared = f.spared,
        -- As if it had not been received now: the consumer before may be alive, and acknowledge it yet.
        receipt = case when f.is_suspect then f.previous else m.receipt end,
        visible_at = case when f.is_suspect then 'infinity' else m.visible_at end,
        read_ct = m.read_ct - f.is_suspect::integer
      from fated as f
      where m.ctid = f.ctid
        and (f.is_suspect or f.spared is distinct from f.spared_before)
    ),
    noted as (
      insert into queue.suspect (suspected_at, msg_id, queue_name)
      select clock_timestamp(), f.msg_id, $5
      from fated as f
      where f.is_suspect
    )
    select array_agg(f.receipt) filter (where f.is_undeliverable), array_agg(f.receipt) filter (where f.is_suspect)
    from fated as f
  $sql$, queue._queue_table((settings).name))
  into undeliverable, put_apart
  using receipts, read_cts, previous, coalesce((settings).max_receives, 2147483646), (settings).name;

  if put_apart is not null then
    perform queue._wake('queue_' || (settings).name);
  end if;
end
$function$;

comment on function queue._judge_redelivered(queue.queue_settings, bigint[], integer[], bigint[]) is
$comment$Decides which messages that were delivered before, and are leased again, may be delivered.
A delivery counts towards max_receives when its consumer has set when the message becomes visible again, or when its lease expired although the message was received by itself, which the lowest bit of its receipt states. Any other lease that expired is spared: another message of the consumer may have ended it. Once two are, a message whose last lease expired is a suspect, and put apart: it waits, visible at infinity, until _receive_suspect() takes it.
receipts, read_cts: of the messages that are leased. previous: of those with a read_ct above 1, in the same order, the receipts of the deliveries before; null for a message that was given back.
Returns the receipts of messages that were delivered max_receives times, and those of suspects.
Touches: the queue's table, rows that the caller has locked; queue.suspect; queue.queue for the first suspect (locked with SKIP LOCKED); NOTIFY if suspects were found and a client waits.$comment$;
