create or replace function queue.{function}(
  receipts        bigint[],
  retry_at        timestamptz,
  is_grouped      boolean,
  out deleted     bigint[],
  out is_promoted boolean
)
language plpgsql
volatile
set search_path from current
as $body$
begin
  with gone as (
    delete from queue.{table} as m
    where m.msg_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest(receipts) as i (receipt)))
      and (m.receipt in (select i.receipt from unnest(receipts) as i (receipt))) is true
    returning m.receipt
  )
  select coalesce(array_agg(gone.receipt), '{}'), false
  into deleted, is_promoted
  from gone;
end
$body$
