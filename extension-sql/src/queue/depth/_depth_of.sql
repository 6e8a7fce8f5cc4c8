create or replace function queue._depth_of(name text, kind text, live_rows bigint, pages bigint)
returns queue.depth_sample
language plpgsql
stable
set lock_timeout = '100ms'
as $function$
declare
  v_table  constant regclass := queue._queue_table(_depth_of.name);
  v_blocks constant bigint := pg_relation_size(v_table) / current_setting('block_size')::integer;
  v_depth  queue.depth_sample;
  v_found  bigint;
  v_sum    numeric;
  v_total  numeric;
  v_moved  bigint;
  v_leased bigint;
begin
  v_depth.sampled_at := clock_timestamp();
  v_depth.is_estimate := v_blocks > 2 * pages;
  execute format($sql$
    select round(count(*) filter (where m.visible_at <= $1 or m.visible_at = 'infinity') * $2),
      round(count(*) filter (where m.visible_at > $1 and m.visible_at < 'infinity' and m.receipt is not null) * $2),
      round(count(*) filter (where m.visible_at > $1 and m.visible_at < 'infinity' and m.receipt is null) * $2),
      min(m.enqueued_at), count(*)
    from %1$s as m %2$s
    where m.message is not null
  $sql$, v_table, case when v_depth.is_estimate then 'tablesample system ($3 * 100.0 / $4) repeatable (0)' else '' end)
  into v_depth.visible, v_depth.in_flight, v_depth.delayed, v_depth.oldest_at, v_found
  using v_depth.sampled_at, case when v_depth.is_estimate then v_blocks::numeric / pages else 1 end, pages, v_blocks;
  if not v_depth.is_estimate then
    return v_depth;
  end if;

  -- The statistics of the server know better, unless a crash has emptied them. In a table that was much larger, a few rows
  -- in the sample stand for too many.
  v_sum := (v_depth.visible + v_depth.in_flight + v_depth.delayed)::numeric;
  v_total := case
    when live_rows between v_sum / 2 and v_sum * 3 / 2 + 1000 then live_rows
    when v_found < 20 and live_rows between 1 and v_sum then live_rows
    else v_sum
  end;
  -- Leased messages are few and beside each other, so that a sample of pages misses them, or sees too many.
  execute format($sql$
    select count(*), count(*) filter (where moved.receipt is not null)
    from (
      select m.receipt
      from %1$s as m
      where m.visible_at > $1
        and m.visible_at < 'infinity' %2$s
      order by m.visible_at
      limit 1001
    ) as moved
  $sql$, v_table, case _depth_of.kind when 'fifo' then 'and m.head' else '' end)
  into v_moved, v_leased
  using v_depth.sampled_at;
  if v_moved <= 1000 then
    v_depth.in_flight := v_leased;
    v_depth.delayed := v_moved - v_leased;
  elsif v_sum > 0 then
    v_depth.in_flight := round(v_depth.in_flight * v_total / v_sum)::bigint;
    v_depth.delayed := round(v_depth.delayed * v_total / v_sum)::bigint;
  end if;
  v_depth.visible := greatest(0, v_total - v_depth.in_flight - v_depth.delayed)::bigint;
  execute format('select m.enqueued_at from %1$s as m where m.message is not null order by m.msg_id limit 1', v_table)
  into v_depth.oldest_at;
  return v_depth;
end
$function$;

comment on function queue._depth_of(text, text, bigint, bigint) is
$comment$Counts the messages of a queue. If its table has more than twice the given pages, it estimates instead, from a sample of as many pages and the statistics of the server; messages in flight and delayed ones are counted in any case, up to 1000.
kind: standard or fifo. live_rows: of the queue's table, as the statistics have it.
Returns the depth now.
Errors: OX001 no such queue; 55P03 the queue's table is locked.
Touches: nothing; reads the queue's table.$comment$;
