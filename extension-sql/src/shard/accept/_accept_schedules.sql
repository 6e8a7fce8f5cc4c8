create or replace function queue._accept_schedules(body jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_epoch constant bigint := (body ->> 'epoch')::bigint;
  v_rows  jsonb := body -> 'rows';
begin
  if (body ->> 'state' <= '@latest_state@' collate "C") is not true then
    -- No rejection: the home of their routes follows them.
    perform queue._raise('OX006', 'schedules come from a shard of a newer release', null,
      'Upgrade this shard to the release of the other.');
  end if;
  if body ->> 'state' <> '@latest_state@' then
    v_rows := queue._complete_rows('schedule', v_rows);
  end if;
  perform queue._create_internal_queue('__schedules', 'standard');
  insert into queue.schedule as s
  select r.*
  from jsonb_array_elements_text(v_rows) as i (packed_row)
  cross join lateral jsonb_populate_record(
    i.packed_row::queue.schedule, jsonb_build_object('msg_id', null, 'home_epoch', v_epoch)
  ) as r
  -- One of the shards has lost commits. Ticks that one has carried out, the other must not repeat.
  on conflict on constraint schedule_pkey do update
  set done_until = greatest(s.done_until, excluded.done_until),
    home_epoch = greatest(s.home_epoch, excluded.home_epoch);
  perform queue._plan_tick(s.name, coalesce(s.next_tick_at + queue._jitter_of(s.name, s.jitter), v_now))
  from (
    select (i.packed_row::queue.schedule).name, (i.packed_row::queue.schedule).msg_id
    from jsonb_array_elements_text(v_rows) as i (packed_row)
  ) as p
  join queue.schedule as s on s.name = p.name
  -- Without a message, it was paused or has no tick left.
  where p.msg_id is not null
    and s.paused_at is null;
  -- Their routes may have moved on since.
  perform queue._hand_over_schedules(array(
    select distinct (i.packed_row::queue.schedule).slot::integer
    from jsonb_array_elements_text(v_rows) as i (packed_row)
  ));
end
$function$;

comment on function queue._accept_schedules(jsonb) is
$comment$Resumes schedules that another shard has handed over: a tick that was due there is carried out here, once this shard is their home.
body: as _send_schedules() of this release, or an older one, writes it.
Errors: OX006 the other shard has a newer release.
Touches: queue.schedule, the table of queue __schedules, which is created with the first schedule; as _hand_over_schedules().$comment$;
