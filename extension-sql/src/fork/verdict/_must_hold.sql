create or replace function queue._must_hold(thorough boolean)
returns boolean
language plpgsql
volatile
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
$comment$Returns whether this database must not receive, deliver or fire timers, and records a new verdict.
thorough: as in _judge_incarnation().
Touches: queue.own_incarnation, if the verdict is new.$comment$;
