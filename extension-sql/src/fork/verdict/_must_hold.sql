create or replace function queue._must_hold(thorough boolean)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_verdict constant text := queue._judge_incarnation(thorough);
begin
  if v_verdict = 'home' then
    return false;
  end if;
  if v_verdict <> 'held' and not pg_is_in_recovery() then
    perform queue._record_verdict(v_verdict);
  end if;
  return v_verdict in ('moved', 'promoted', 'held');
end
$function$;

comment on function queue._must_hold(boolean) is
$comment$Tells whether nothing is to be received, delivered or started by the clock, and writes down what it finds for the first time.
thorough: as in _judge_incarnation().
Touches: queue.own_incarnation, the first time.$comment$;
