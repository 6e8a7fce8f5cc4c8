create or replace function queue._release_to_roll_back(name text, run_ids bigint[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_released bigint[];
begin
  execute format($sql$
    with released as (
      update %1$s as m
      set receipt = null,
        settled_receipt = m.receipt,
        visible_at = clock_timestamp(),
        message = m.message || '{"waits": []}'
      where m.msg_id = any ($1)
        and m.headers ? 'cancelled'
      returning m.msg_id
    )
    select array_agg(released.msg_id) from released
  $sql$, queue._workflow_table(name))
  into v_released
  using run_ids;
  perform queue._wake('queue___wf_' || name);
  return v_released;
end
$function$;

comment on function queue._release_to_roll_back(text, bigint[]) is
$comment$Gives runs back whose continuations the caller has locked, and that are to roll back.
run_ids: the others among them are left alone.
Returns those that were given back; null is none.
Touches: continuations.$comment$;
