create or replace function queue.workflow_next_visible_at(names text[], versions jsonb default null)
returns timestamptz
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_name text;
  v_due  timestamptz;
  v_next timestamptz;
begin
  perform queue._check_tables();
  foreach v_name in array names loop
    continue when queue._workflow_table(v_name) is null;
    if queue._served_versions(versions, v_name) is null then
      execute format('select min(m.visible_at) from %1$s as m', queue._workflow_table(v_name)) into v_due;
    else
      execute format($sql$
        select min(first.visible_at)
        from unnest($1) as v (version)
        left join lateral (
          select r.ready_from, r.taken_at
          from queue.ready_mark as r
          where r.queue_name = $2
            and r.part = v.version
          order by r.mark_id desc
          limit 1
        ) as mark on true
        cross join lateral (
          select m.visible_at
          from %1$s as m
          where m.version = v.version
            and m.visible_at >= case when mark.taken_at <= $3 then mark.ready_from else '-infinity' end
          order by m.visible_at
          limit 1
        ) as first
      $sql$, queue._workflow_table(v_name))
      into v_due
      using queue._served_versions(versions, v_name), '__wf_' || v_name, clock_timestamp();
    end if;
    v_next := least(v_next, v_due);
  end loop;
  return v_next;
end
$function$;

comment on function queue.workflow_next_visible_at(text[], jsonb) is
$comment$When the next run of these workflows becomes visible, so that an idle worker neither polls busily nor wakes late. Leased runs count with the end of their lease.
names, versions: as in workflow_receive().
Returns a time that may have passed; null when there is no run, infinity when all wait for signals alone.
Touches: nothing; reads the first entry of the ready indexes.$comment$;
