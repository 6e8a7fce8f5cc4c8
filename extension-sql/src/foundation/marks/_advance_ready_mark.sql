create or replace function queue._advance_ready_mark(
  mark        queue.queue_mark,
  queue       text,
  part        integer,
  queue_table regclass,
  eligible    text,
  taken_at    timestamptz
)
returns void
language plpgsql
volatile
-- plans: index, no bitmap, no sort
as $function$
declare
  v_began_at constant timestamptz := clock_timestamp();
  v_next     queue.queue_mark;
begin
  -- If the clock was set back since, no mark contains the time that it had shown.
  if current_setting('transaction_isolation') <> 'read committed' or v_began_at < taken_at then
    return;
  end if;
  v_next.taken_at := taken_at;
  v_next.horizon := pg_current_xact_id();

  if mark.taken_at <= taken_at then
    if not queue._have_writers_ended(queue_table, mark.horizon, pg_current_snapshot()) then
      return;
    end if;
    v_next.swept_at := mark.swept_at;
    v_next.sweep_took := mark.sweep_took;
    -- If marks follow each other closely, one of them notices a clock that is set back.
    if v_began_at - mark.swept_at > greatest(
      '1 minute',
      case when taken_at - mark.taken_at > interval '1 second' then 50 else 500 end * mark.sweep_took
    ) then
      mark.ready_from := '-infinity';
    end if;
    -- Not beyond the mark, where entries of deleted messages would be read in vain. No min(): with statistics of an
    -- empty table, the planner would compute it from all ready rows.
    execute format($sql$
      select coalesce((
        select m.visible_at
        from %1$s as m
        where %2$s
          and m.visible_at between $1 and $2
        order by m.visible_at
        limit 1
      ), $2)
    $sql$, queue_table, eligible)
    into v_next.ready_from
    using mark.ready_from, mark.taken_at;
    if mark.ready_from = '-infinity' then
      delete from queue.group_mark as o
      where o.queue_name = _advance_ready_mark.queue
        and o.taken_at < v_began_at - interval '10 minutes';
      v_next.swept_at := v_began_at;
      v_next.sweep_took := clock_timestamp() - v_began_at;
      delete from queue.ready_mark as o
      where o.queue_name = _advance_ready_mark.queue
        and o.part = _advance_ready_mark.part
        and o.mark_id < mark.mark_id;
    end if;
  else
    -- The first mark, or the clock was set back.
    v_next.ready_from := '-infinity';
    v_next.swept_at := v_began_at;
    v_next.sweep_took := '0';
  end if;

  insert into queue.ready_mark (taken_at, ready_from, swept_at, sweep_took, horizon, part, queue_name)
  values (
    v_next.taken_at, v_next.ready_from, v_next.swept_at, v_next.sweep_took, v_next.horizon,
    _advance_ready_mark.part, _advance_ready_mark.queue
  );
  -- Finds it only by its key: older marks are dead, but a scan would read them for as long as an old snapshot is held.
  delete from queue.ready_mark as o
  where o.queue_name = _advance_ready_mark.queue
    and o.part = _advance_ready_mark.part
    and o.mark_id = any (array(
      select l.mark_id
      from queue.ready_mark as l
      where l.queue_name = _advance_ready_mark.queue
        and l.part = _advance_ready_mark.part
        and l.mark_id = mark.mark_id
      for update skip locked
    ));
end
$function$;

comment on function queue._advance_ready_mark(queue.queue_mark, text, integer, regclass, text, timestamptz) is
$comment$Advances the place at which receives begin to read the ready index, if that is safe.
Every function that makes a message visible keeps an order: it locks the table and gets its transaction id, and then reads the clock. A mark reads the clock first, and then gets its own transaction id. So a transaction with a later id writes no earlier time than the mark's. Once all transactions with an earlier id have ended, everything that they made visible can be seen. The new place is the least of these times, or the time of the mark.
If the clock is set back behind a mark, the next receive begins from the start. If that goes unnoticed, a message is delayed by about a minute at most, because the index is read from its beginning now and then: for 2% of the time if receives are rare, otherwise for 0.2%.
mark: the newest one; null fields without a mark.
part, eligible: the part of the queue, and the condition on its rows.
taken_at: a time that was read before this transaction had an id.
Touches: reads the ready index from one mark to the next, up to its first live entry; queue.ready_mark, and now and then old rows of queue.group_mark.$comment$;
