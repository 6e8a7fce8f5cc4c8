create or replace function queue._move_slice(task_id bigint, now timestamptz)
returns void
language plpgsql
volatile
-- Other tasks wait for this call.
set lock_timeout = '500ms'
as $function$
declare
  v_task    record;
  v_rate    integer;
  v_slice   integer;
  v_source  queue.queue_settings;
  v_target  text;
  v_moved   bigint := 0::bigint;
  v_waits   boolean := false;
  v_is_left boolean := true;
  v_letters boolean := true;
  v_status  text := 'running';
  v_failure text;
begin
  select t.source, t.target, t.rate, t.moved, t.to_move, t.stalled_since
  into v_task
  from queue.sqs_move_task as t
  where t.task_id = _move_slice.task_id;
  v_rate := coalesce(v_task.rate, 500);
  v_slice := least(v_task.to_move - v_task.moved, greatest(v_rate / 5, 1))::integer;
  begin
    v_source := queue._find_queue(v_task.source);
    if v_task.target is null then
      v_moved := queue._redrive_letters(v_source, v_slice, null);
    else
      v_target := queue._sqs_queue_name(v_task.target);
      v_moved := queue._move_messages(v_source, queue._find_queue(coalesce(v_target, v_task.target)), v_slice);
    end if;
  exception
    when lock_not_available then
      -- Another transaction holds a group that a message goes to.
      v_waits := true;
    when others then
      -- Others pass: the caller tries again.
      if (queue._is_rejection(sqlstate)) is not true then
        raise;
      end if;
      v_status := 'failed';
      v_failure := case sqlstate when 'OX001' then 'AWS.SimpleQueueService.NonExistentQueue' else sqlerrm end;
  end;

  if v_failure is null and v_task.moved + v_moved >= v_task.to_move then
    v_status := 'completed';
  elsif v_failure is null and v_moved = 0 then
    -- Nothing could be moved, which doesn't mean that nothing is left: another transaction may hold a group.
    if not v_waits then
      execute format($sql$
        select count(*) > 0 as has_messages, coalesce(bool_or(m.is_letter), false) as has_letters
        from (
          select exists (
            select
            from queue.queue as q
            where q.name = m.headers #>> '{dead_letter,queue}'
              and q.dead_letter_queue = $2
          ) as is_letter
          from %1$s as m
          where m.message is not null
            and (m.receipt is null or m.visible_at <= $1 or m.visible_at = 'infinity')
        ) as m
      $sql$, queue._queue_table(v_task.source))
      into v_is_left, v_letters
      using now, v_task.source;
    end if;
    if not v_is_left then
      v_status := 'completed';
    elsif v_task.target is null and not v_letters then
      v_status := 'failed';
      v_failure := 'CouldNotDetermineMessageSource';
    elsif v_task.stalled_since < now - interval '1 minute' then
      v_status := 'failed';
      v_failure := 'No message could be moved for a minute: each one follows a message of its group that is in flight or of unknown source, or an open transaction holds it or the group that it goes to.';
    end if;
  end if;

  update queue.sqs_move_task as t
  set moved = t.moved + v_moved,
    status = v_status,
    failure = v_failure,
    stalled_since = case v_moved when 0 then coalesce(t.stalled_since, now) end,
    due_at = case v_moved
      -- Counted from here, so that the tasks that are due since the wait began come first.
      when 0 then clock_timestamp() + interval '1 second'
      else now + interval '1 second' * (v_moved::double precision / v_rate)
    end
  where t.task_id = _move_slice.task_id;
end
$function$;

comment on function queue._move_slice(bigint, timestamptz) is
$comment$Moves the next messages of a task that its caller has locked, and writes how far it is: see sqs_continue_moves().
It waits at most half a second for the groups of messages. If a transaction keeps one for longer, nothing is moved, and the task is due again after a second.
now: when the caller began; the time that messages take counts from then.
Touches: queue.sqs_move_task, and as move_messages() or redrive(), without queue.audit.$comment$;
