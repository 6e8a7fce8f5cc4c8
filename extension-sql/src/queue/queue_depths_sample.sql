create or replace function queue.queue_depths_sample(max_queues integer default 1000, retention_hours integer default 24)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_queue   record;
  v_depth   queue.depth_sample;
  v_written integer := 0;
begin
  perform queue._migrate_if_older();
  if max_queues is null or max_queues not between 1 and 100000 then
    perform queue._raise('OX004', format('invalid max_queues %s', coalesce(max_queues::text, 'null')), null,
      'Sample between 1 and 100000 queues at a time.');
  end if;
  if retention_hours is null or retention_hours not between 1 and 8784 then
    perform queue._raise('OX004', format('invalid retention of %s hours', coalesce(retention_hours::text, 'null')), null,
      'The depth of queues is kept for 1 to 8784 hours.');
  end if;
  if to_regclass('queue.queue_depth') is null
    or not pg_try_advisory_xact_lock(hashtextextended('oxbow:queue_depths', 0))
    or exists (
      select
      from queue.queue_depth as d
      where d.sampled_at > v_now - interval '30 seconds'
        and d.sampled_at <= v_now
    )
  then
    return 0;
  end if;

  -- The statistics of the server choose which queues to read, so that empty ones cost no look at their tables. A queue that
  -- had messages is read until it is empty, whatever a crash has left of the statistics.
  for v_queue in
    select q.name, q.kind, c.oid as table_id, s.live_rows, l.latest, least(count(*) over (), max_queues) as chosen
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
    ) as l on true
    where q.kind <> 'workflow'
      and (s.live_rows > 0 or (l.latest).visible + (l.latest).in_flight + (l.latest).delayed > 0)
    order by s.live_rows desc
    limit max_queues
  loop
    begin
      v_depth := queue._depth_of(
        v_queue.name, v_queue.kind, v_queue.live_rows,
        pg_relation_size(v_queue.table_id) / current_setting('block_size')::integer,
        greatest(16, least(512, 16384 / v_queue.chosen))
      );
      -- Going back releases the locks on the table and its indexes, which a thousand queues would not leave to others.
      raise exception using errcode = 'OXBCK', message = 'the locks are released';
    exception
      when sqlstate 'OXBCK' then
        null;
      when sqlstate 'OX001' or undefined_table then
        continue;
    end;
    if (v_depth.visible, v_depth.in_flight, v_depth.delayed, v_depth.oldest_at)
      is distinct from (
        coalesce((v_queue.latest).visible, 0), coalesce((v_queue.latest).in_flight, 0),
        coalesce((v_queue.latest).delayed, 0), (v_queue.latest).oldest_at
      )
    then
      insert into queue.queue_depth (
        sampled_at, visible, in_flight, delayed, oldest_at, is_estimate, queue_name
      )
      values (
        v_depth.sampled_at, v_depth.visible, v_depth.in_flight, v_depth.delayed, v_depth.oldest_at, v_depth.is_estimate,
        v_queue.name
      );
      v_written := v_written + 1;
    end if;
  end loop;

  -- The last row before the retention is the depth at its beginning. A queue that is empty then needs none.
  delete from queue.queue_depth as d
  where d.sampled_at < v_now - make_interval(hours => retention_hours)
    and (
      d.visible + d.in_flight + d.delayed = 0
      or exists (
        select
        from queue.queue_depth as later
        where later.queue_name = d.queue_name
          and later.sampled_at > d.sampled_at
          and later.sampled_at <= v_now - make_interval(hours => retention_hours)
      )
      -- It was dropped while it was sampled.
      or not exists (select from queue.queue as q where q.name = d.queue_name)
    );
  return v_written;
end
$function$;

comment on function queue.queue_depths_sample(integer, integer) is
$comment$Writes the depth of the queues that have changed since the last sample, and deletes what is past its retention: see queue_depths(). A server calls it every minute. Of several that call within half a minute, one does the work.
max_queues: the deepest queues, 1 to 100000. They share 16384 pages: each gets between 16 and 512, and the depth of a table with more than twice as many is estimated from them.
retention_hours: 1 to 8784.
Returns how many depths were written.
Errors: OX004 invalid argument.
Touches: an advisory lock until the transaction ends; queue.queue_depth; reads the tables of queues with messages.$comment$;
