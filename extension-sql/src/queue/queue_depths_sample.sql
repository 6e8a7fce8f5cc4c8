create or replace function queue.queue_depths_sample(max_queues integer default 1000, retention_hours integer default 24)
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_now     timestamptz;
  v_before  timestamptz;
  v_queue   record;
  v_depth   queue.depth_sample;
  v_written integer := 0;
begin
  perform queue._check_count(max_queues, 'max_queues', 100000, 'Sample between 1 and 100000 queues at a time.');
  if (retention_hours between 1 and 8784) is not true then
    perform queue._raise('OX004', format('invalid retention of %s hours', coalesce(retention_hours::text, 'null')), null,
      'The depth of queues is kept for 1 to 8784 hours.');
  end if;
  if not queue._migrate_if_older()
    or not queue._try_lock_name('depths')
  then
    return 0;
  end if;
  -- Behind the lock, the sample before is committed, and began earlier.
  v_now := clock_timestamp();
  if exists (
    select
    from queue.depth_span as s
    where s.last_at > v_now - interval '30 seconds'
      and s.last_at <= v_now
  )
  then
    return 0;
  end if;
  update queue.depth_span as s
  set last_at = v_now
  where s.last_at > v_now - interval '2 minutes'
    and s.last_at <= v_now;
  if not found then
    insert into queue.depth_span (began_at, last_at) values (v_now, v_now);
  end if;

  -- The statistics of the server choose which queues to read, so that empty ones cost no look at their tables. Queues
  -- that have become empty there are read besides, since that may be so or a crash may have emptied the statistics.
  for v_queue in
    select f.name, f.kind, f.live_rows, f.latest, f.is_read, count(*) filter (where f.is_read) over () as chosen
    from (
      select q.name, q.kind, s.live_rows, l.latest, k.depth,
        row_number() over (partition by s.live_rows > 0 order by s.live_rows desc, k.depth desc nulls last) <= max_queues as is_read
      from queue.queue as q
      join pg_class as c
        on c.relname = 'q_' || q.name
        and c.relnamespace = 'queue'::regnamespace
      cross join lateral pg_stat_get_live_tuples(c.oid) as s (live_rows)
      left join lateral (
        select d as latest
        from queue.queue_depth as d
        where d.queue_name = q.name
        order by d.sampled_at desc
        limit 1
      ) as known on true
      cross join lateral (
        select coalesce(known.latest, row(null, 0, 0, 0, null, false, q.name)::queue.queue_depth)
      ) as l (latest)
      cross join lateral (select (l.latest).visible + (l.latest).in_flight + (l.latest).delayed) as k (depth)
      where q.kind <> 'workflow'
        and (s.live_rows > 0 or k.depth is distinct from 0)
    ) as f
    where f.is_read
      or f.depth > 0
  loop
    -- Null if others are deeper, or its table is locked: what it holds is no longer known.
    v_depth := null;
    if v_queue.is_read then
      begin
        v_depth := queue._depth_of(
          v_queue.name, v_queue.kind, v_queue.live_rows, greatest(16, least(512, 16384 / v_queue.chosen))
        );
        -- Going back releases the locks on the table and its indexes, which a thousand queues would not leave to others.
        raise exception using errcode = 'OXBCK', message = 'the locks are released';
      exception
        when sqlstate 'OXBCK' or lock_not_available then
          null;
        when sqlstate 'OX001' or undefined_table then
          continue;
      end;
    end if;
    if (v_depth.visible, v_depth.in_flight, v_depth.delayed, v_depth.oldest_at)
      is distinct from (
        (v_queue.latest).visible, (v_queue.latest).in_flight, (v_queue.latest).delayed, (v_queue.latest).oldest_at
      )
    then
      -- At the same instant for all, at which a span may have begun: see queue_depths().
      insert into queue.queue_depth (
        sampled_at, visible, in_flight, delayed, oldest_at, is_estimate, queue_name
      )
      values (
        v_now, v_depth.visible, v_depth.in_flight, v_depth.delayed, v_depth.oldest_at,
        coalesce(v_depth.is_estimate, false), v_queue.name
      );
      v_written := v_written + 1;
    end if;
  end loop;

  -- The last row before the retention is the depth at its beginning. A queue that is empty then needs no row; one
  -- whose depth is not known then does.
  v_before := v_now - make_interval(hours => retention_hours);
  delete from queue.queue_depth as d
  where d.sampled_at < v_before
    and (
      d.visible + d.in_flight + d.delayed = 0
      or exists (
        select
        from queue.queue_depth as later
        where later.queue_name = d.queue_name
          and later.sampled_at > d.sampled_at
          and later.sampled_at <= v_before
      )
      -- It was dropped while it was sampled.
      or not exists (select from queue.queue as q where q.name = d.queue_name)
    );
  delete from queue.depth_span as s where s.last_at < v_before;
  return v_written;
end
$function$;

comment on function queue.queue_depths_sample(integer, integer) is
$comment$Writes the depth of the queues that have changed since the last sample, and deletes what is past its retention: see queue_depths(). A server calls it every minute. Of several that call within half a minute, one does the work.
max_queues: the deepest queues, and as many that have become empty, 1 to 100000. They share 16384 pages: each gets between 16 and 512, and the depth of a table with more than twice as many is estimated from them.
retention_hours: 1 to 8784.
Returns how many depths were written.
Errors: OX004 invalid argument.
Touches: a lock until the transaction ends; queue.depth_span; queue.queue_depth; reads the tables of queues with messages, and waits at most 100 ms for each.$comment$;
