-- A clock that tests move: installed by the testing kit, into databases that it has made itself, and nowhere else.
--
-- The functions of Oxbow stay as they are. They ask clock_timestamp(), without a schema, and find it where their
-- search_path leads: here it leads to this schema first. A database without this schema therefore has no clock that
-- could be moved, and no overhead.

create schema oxbow_test;

comment on schema oxbow_test is
  'The clock of a test. A database that has it must never hold anything but tests.';

-- A sequence, because all sessions see its value immediately, with any snapshot.
create sequence oxbow_test.skipped as bigint minvalue 0 start 0;

comment on sequence oxbow_test.skipped is
  'How many microseconds were skipped. It never goes back, as marks need it.';

create function oxbow_test.clock_timestamp()
returns timestamptz
language plpgsql
volatile
as $function$
begin
  return pg_catalog.clock_timestamp() + (select s.last_value from oxbow_test.skipped as s) * interval '1 microsecond';
end
$function$;

comment on function oxbow_test.clock_timestamp() is
$comment$The time of this test.
Returns the time of the machine, and what was skipped.
Touches: nothing.$comment$;

create function oxbow_test.now()
returns timestamptz
language plpgsql
stable
as $function$
begin
  return pg_catalog.now() + (select s.last_value from oxbow_test.skipped as s) * interval '1 microsecond';
end
$function$;

comment on function oxbow_test.now() is
$comment$When the transaction began, for SQL of the application's own.
Returns that time, and what was skipped until now.
Touches: nothing.$comment$;

create function oxbow_test.is_leased(receipt bigint, visible_at timestamptz, headers jsonb, moment timestamptz)
returns boolean
language sql
as $function$
  select receipt is not null
    and visible_at > moment
    -- A run that was paused while its worker crashed is put aside with its receipt.
    and (headers ? 'paused' and visible_at = queue._paused_until(headers)) is not true
$function$;

comment on function oxbow_test.is_leased(bigint, timestamptz, jsonb, timestamptz) is
$comment$Returns whether a worker holds a continuation.
Returns false for one whose lease has ended at the moment.
Touches: nothing.$comment$;

create function oxbow_test.activity(versions jsonb)
returns table (executing bigint, ready bigint, handled bigint, next_at timestamptz, now_at timestamptz)
language plpgsql
volatile
set search_path = oxbow_test, pg_catalog, pg_temp
as $function$
declare
  v_queue   record;
  v_handled bigint;
begin
  handled := 0;
  now_at := clock_timestamp();
  select
    count(*) filter (where s.is_leased),
    count(*) filter (where m.visible_at <= now_at and s.is_served),
    min(m.visible_at) filter (
      where not s.is_leased and m.visible_at > now_at and m.visible_at < 'infinity' and s.is_served
    )
  into executing, ready, next_at
  from queue.workflow_continuation as m
  join queue.queue as q on q.queue_id = m.queue_id
  cross join lateral (
    select oxbow_test.is_leased(m.receipt, m.visible_at, m.headers, now_at) as is_leased,
      coalesce(versions -> substr(q.name, 6) @> to_jsonb(m.version), false) as is_served
  ) as s;

  ready := ready + (select count(*) from queue.workflow_inbox);

  -- Runs that wait for their turn are hidden: their workflow has something to do, or will have.
  for v_queue in
    select queue._admission_opens_at(q.queue_id, array(
        select v.version::integer from jsonb_array_elements_text(versions -> substr(q.name, 6)) as v (version)
      )) as opens_at
    from queue.queue as q
    where q.flow_control is not null
  loop
    if v_queue.opens_at <= now_at then
      ready := ready + 1;
    else
      next_at := least(next_at, v_queue.opens_at);
    end if;
  end loop;

  for v_queue in
    select q.name, queue._queue_table(q.name) as queue_table
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name
  loop
    -- Messages without a listening consumer stay; a message that is handled may lead to a signal.
    execute format($sql$
      select count(*) as handled
      from %1$s as m
      where m.receipt is not null and m.visible_at > $1
        or m.receipt is null and m.visible_at <= $1 and ($3 or queue._is_awaited($2))
    $sql$, v_queue.queue_table)
    into v_handled
    -- The worker of the environment is a ticker.
    using now_at, 'queue_' || v_queue.name, v_queue.name = '__schedules';
    handled := handled + v_handled;
  end loop;
  return next;
end
$function$;

comment on function oxbow_test.activity(jsonb) is
$comment$Returns the current activity.
versions: maps the name of a workflow to the versions that are served.
Returns how many runs are being executed, how many are ready and served, how many messages of queues a consumer handles or is about to receive, when the next run becomes visible by itself (null if no run does), and the time.
Touches: nothing; reads all messages.$comment$;

create function oxbow_test.move_to(moment timestamptz)
returns void
language plpgsql
volatile
set search_path = oxbow_test, pg_catalog, pg_temp
as $function$
declare
  v_by interval;
begin
  v_by := moment - clock_timestamp();
  if v_by <= '0' then
    return;
  end if;
  -- Leases are about workers, which live on while time is skipped.
  update queue.workflow_continuation as m
  set visible_at = m.visible_at + v_by
  where oxbow_test.is_leased(m.receipt, m.visible_at, m.headers, moment - v_by);
  perform setval(
    'oxbow_test.skipped',
    (select s.last_value from oxbow_test.skipped as s) + ceil(extract(epoch from v_by) * 1000000)::bigint
  );
  -- Whoever waits for a message with a timer looks again.
  perform pg_notify('queue_' || q.name, '') from queue.queue as q;
end
$function$;

comment on function oxbow_test.move_to(timestamptz) is
$comment$Moves the clock, and the leases of runs with it. The caller has locked the table of continuations.
moment: a time to come; one that has passed is no move.
Touches: continuations that are leased.$comment$;

create function oxbow_test.lock_continuations()
returns void
language plpgsql
volatile
set search_path = oxbow_test, pg_catalog, pg_temp
as $function$
begin
  -- Better to ask again than to keep others waiting behind this lock.
  lock table queue.workflow_continuation in exclusive mode nowait;
end
$function$;

comment on function oxbow_test.lock_continuations() is
$comment$Blocks receives, commits and starts of runs until the transaction ends.
Errors: 55P03 another transaction is using them: try again.
Touches: locks the table of continuations.$comment$;

create function oxbow_test.next_tick_at(moment timestamptz)
returns timestamptz
language plpgsql
stable
set search_path = oxbow_test, pg_catalog, pg_temp
as $function$
declare
  v_next timestamptz;
begin
  if to_regclass('queue.q___schedules') is not null then
    execute format($sql$
      select min(m.visible_at) from %1$s as m where m.receipt is null and m.visible_at > $1
    $sql$, queue._queue_table('__schedules'))
    into v_next
    using moment;
  end if;
  return v_next;
end
$function$;

comment on function oxbow_test.next_tick_at(timestamptz) is
$comment$When a schedule ticks next.
moment: after this.
Returns null after the last tick.
Touches: nothing; reads messages.$comment$;

create function oxbow_test.advance(versions jsonb, until timestamptz)
returns table (executing bigint, ready bigint, handled bigint, next_at timestamptz, now_at timestamptz, moved boolean)
language plpgsql
volatile
set search_path = oxbow_test, pg_catalog, pg_temp
as $function$
declare
  v_activity record;
  v_until    timestamptz := nullif(until, 'infinity');
begin
  select a.* into v_activity from oxbow_test.activity(versions) as a;
  moved := false;
  -- Schedules tick forever: a test that waits for a run doesn't wait for them.
  if v_until is not null then
    v_until := least(v_until, oxbow_test.next_tick_at(v_activity.now_at));
  end if;
  if v_activity.executing + v_activity.ready + v_activity.handled = 0
    and until is not null
    and least(v_activity.next_at, v_until) > v_activity.now_at
  then
    perform oxbow_test.lock_continuations();
    -- Again, since a signal or a start may have come before the lock.
    select a.* into v_activity from oxbow_test.activity(versions) as a;
    if v_activity.executing + v_activity.ready + v_activity.handled = 0 then
      perform oxbow_test.move_to(least(v_activity.next_at, v_until));
      moved := true;
    end if;
  end if;
  executing := v_activity.executing;
  ready := v_activity.ready;
  handled := v_activity.handled;
  next_at := v_activity.next_at;
  now_at := clock_timestamp();
  return next;
end
$function$;

comment on function oxbow_test.advance(jsonb, timestamptz) is
$comment$Skips the time until something happens by itself, if nothing is happening now.
versions: as in activity(). until: how far at most; infinity is no limit, null skips nothing.
Returns what activity() does, as of before the move, the time after it, and whether the clock was moved.
Errors: 55P03 another transaction is using them: try again.
Touches: locks the table of continuations where it moves the clock.$comment$;

create function oxbow_test.lift_deadline(run_id bigint)
returns void
language plpgsql
volatile
set search_path = oxbow_test, pg_catalog, pg_temp
as $function$
begin
  perform from queue.workflow_continuation as m where m.msg_id = lift_deadline.run_id for no key update;
  update queue.workflow_run as r set deadline = null where r.run_id = lift_deadline.run_id;
end
$function$;

comment on function oxbow_test.lift_deadline(bigint) is
$comment$Lets a test run of a definition take longer than a day, since days are skipped.
Touches: queue.workflow_run, queue.workflow_continuation (lock).$comment$;

create function oxbow_test.move_while_executing(moment timestamptz)
returns void
language plpgsql
volatile
set search_path = oxbow_test, pg_catalog, pg_temp
as $function$
begin
  perform oxbow_test.lock_continuations();
  perform oxbow_test.move_to(moment);
end
$function$;

comment on function oxbow_test.move_while_executing(timestamptz) is
$comment$Moves the clock, regardless of activity.
moment: a time to come.
Errors: 55P03 another transaction is using them: try again.
Touches: locks the table of continuations.$comment$;

grant usage on schema oxbow_test to public;
grant select on sequence oxbow_test.skipped to public;

do $redirect$
declare
  v_function record;
  v_column   record;
begin
  for v_function in
    select p.oid::regprocedure as signature, p.proconfig
    from pg_proc as p
    where p.pronamespace = 'queue'::regnamespace
      and p.prosrc like '%clock_timestamp()%'
  loop
    if not coalesce('search_path=pg_catalog, pg_temp' = any (v_function.proconfig), false) then
      raise exception 'function % asks the clock, but pins no search_path', v_function.signature;
    end if;
    execute format('alter function %s set search_path = oxbow_test, pg_catalog, pg_temp', v_function.signature);
  end loop;
  for v_column in
    select d.adrelid::regclass as table_name, a.attname
    from pg_attrdef as d
    join pg_attribute as a on a.attrelid = d.adrelid and a.attnum = d.adnum
    join pg_class as c on c.oid = d.adrelid
    where c.relnamespace = 'queue'::regnamespace
      and pg_get_expr(d.adbin, d.adrelid) like '%clock_timestamp()%'
  loop
    execute format('alter table %s alter column %I set default oxbow_test.clock_timestamp()',
      v_column.table_name, v_column.attname);
  end loop;
  -- For the SDK's own statements, and those of the application. Behind "public", so that tables are made there.
  execute format('alter database %I set search_path = "$user", public, oxbow_test, pg_catalog', current_database());
end
$redirect$;
