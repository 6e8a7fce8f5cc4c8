create or replace function queue.{function}(messages jsonb[], delay interval, headers jsonb[], delays interval[])
returns bigint[]
language plpgsql
volatile
set search_path from current
as $body$
declare
  v_msg_ids bigint[];
begin
  with inserted as (
    insert into queue.{table} as m (visible_at, enqueued_at, message, headers)
    select n.now + coalesce(delays[i.position::integer], delay), n.now, i.message, i.headers
    from (select clock_timestamp()) as n (now)
    cross join unnest(messages, headers) with ordinality as i (message, headers, position)
    order by i.position
    returning m.msg_id
  )
  select array_agg(inserted.msg_id) into v_msg_ids from inserted;
  return v_msg_ids;
end
$body$
