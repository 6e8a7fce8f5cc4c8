create or replace function queue._with_beginnings(continuation jsonb)
returns jsonb
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_beginning constant jsonb := jsonb_build_object('since', clock_timestamp());
begin
  return jsonb_set(continuation, '{waits}', (
    select jsonb_agg(v_beginning || w.wait order by w.n)
    from jsonb_array_elements(continuation -> 'waits') with ordinality as w (wait, n)
  ));
end
$function$;

comment on function queue._with_beginnings(jsonb) is
$comment$Returns a continuation in which each wait without a beginning begins now. A worker leaves it out for a wait that begins when the step before it is durable, so that in the journal no wait begins before that step has ended.
Touches: nothing.$comment$;
