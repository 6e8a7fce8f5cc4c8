create or replace function queue._send_schedules(names text[], target smallint, epoch bigint)
returns void
language plpgsql
volatile
set datestyle = 'ISO'
set intervalstyle = 'postgres'
set extra_float_digits = 1
-- plans: index
as $function$
declare
  v_max_bytes constant integer := 1048576;
  v_part      record;
begin
  for v_part in
    -- Two tickers may send one schedule: only the one that deletes it does.
    with gone as (
      delete from queue.schedule as s
      where s.name = any (names)
      returning s.name, s.msg_id, s::text as packed_row
    )
    select jsonb_agg(p.packed_row order by p.name) as rows, array_agg(p.msg_id) as msg_ids
    from (
      select g.name, g.msg_id, g.packed_row, sum(octet_length(g.packed_row)) over (order by g.name) / v_max_bytes as part
      from gone as g
    ) as p
    group by p.part
    order by p.part
  loop
    perform queue._send_item(target, 'schedules', null,
      jsonb_build_object('state', '@latest_state@', 'epoch', epoch, 'rows', v_part.rows));
    -- An administrator may have dropped the queue.
    if to_regclass('queue.q___schedules') is not null then
      execute format($sql$
        delete from %1$s as m where m.msg_id = any ($1)
      $sql$, queue._queue_table('__schedules'))
      using v_part.msg_ids;
    end if;
  end loop;
end
$function$;

comment on function queue._send_schedules(text[], smallint, bigint) is
$comment$Sends schedules to another shard, and deletes them here with their next ticks: a ticker that has received one loses it.
names: of schedules; those that are gone are left out.
target: number of the shard.
epoch: version of the map since which it is their home.
Touches: queue.schedule, the table of queue __schedules; as _send_item().$comment$;
