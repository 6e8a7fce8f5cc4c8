create or replace function queue._with_beginnings(continuation jsonb)
returns jsonb
language plpgsql
volatile
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  return jsonb_set(continuation, '{waits}', (
    select jsonb_agg(
      jsonb_build_object(
        'since',
        case when queue._is_clock_set_back((w.wait ->> 'asked')::timestamptz, v_now) then w.wait -> 'asked' else to_jsonb(v_now) end
      ) || (w.wait - 'asked')
      order by w.n
    )
    from jsonb_array_elements(continuation -> 'waits') with ordinality as w (wait, n)
  ));
end
$function$;

comment on function queue._with_beginnings(jsonb) is
$comment$Returns a continuation in which each wait without a beginning begins now. A worker leaves it out for a wait that begins when the step before it is durable, so that in the journal no wait begins before that step has ended.
If the worker asked for the wait by a clock that was set back before the commit, the wait begins at that time: its deadline is wrong too, and _correct_run_times() and workers know such a wait by its beginning.
Touches: nothing.$comment$;
