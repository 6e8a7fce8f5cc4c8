create or replace function queue._note_refusal(
  headers         jsonb,
  refusal         jsonb,
  receipt         bigint,
  settled_receipt bigint,
  resume_at       timestamptz
)
returns jsonb
language plpgsql
stable
as $function$
declare
  v_last constant jsonb := case
    when (headers #>> '{refused,receipt}')::bigint = settled_receipt then headers -> 'refused'
  end;
begin
  return coalesce(queue._due_after_pause(headers, resume_at), '{}') || jsonb_build_object('refused', jsonb_build_object(
    'receipt', receipt,
    'since', coalesce(v_last -> 'since', to_jsonb(clock_timestamp())),
    'times', 1 + coalesce((v_last ->> 'times')::integer, 0),
    'reason', left(refusal ->> 'reason', 1000)
  ));
end
$function$;

comment on function queue._note_refusal(jsonb, jsonb, bigint, bigint, timestamptz) is
$comment$Returns the headers of a continuation that a worker gives back because it can't execute the run. They count until another worker settles it: the receipt is then another one.
headers, receipt, settled_receipt: of the continuation.
refusal: {"reason"}.
resume_at: when it becomes visible.$comment$;
