create or replace function queue._explain_refusal(name text, version integer, refusal jsonb)
returns queue.workflow_explanation
language plpgsql
stable
as $function$
declare
  v_found queue.workflow_explanation;
begin
  v_found.cause := 'no_worker';
  v_found.summary := format(
    'Workers gave the run back %s, the last time because: %s.',
    case when refusal ->> 'times' = '1' then 'once' else (refusal ->> 'times') || ' times' end,
    rtrim(refusal ->> 'reason', '.')
  );
  v_found.remedy := format('Correct that, or start a worker that can execute version %s of workflow "%s": one that has its node types, or its codec.', version, name);
  v_found.since := (refusal ->> 'since')::timestamptz;
  v_found.details := (refusal - 'receipt' - 'since') || jsonb_build_object('version', version);
  return v_found;
end
$function$;

comment on function queue._explain_refusal(text, integer, jsonb) is
$comment$Explains why the workers that received a run gave it back.
refusal: as _note_refusal() has stored it.
Returns the explanation, without run_id.$comment$;
