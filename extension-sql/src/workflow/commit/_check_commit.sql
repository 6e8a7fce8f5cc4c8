create or replace function queue._check_commit(
  names       text[],
  run_ids     bigint[],
  receipts    bigint[],
  transitions text[],
  results     jsonb[]
)
returns void
language plpgsql
stable
as $function$
declare
  v_message text;
begin
  select
    case
      when i.name is null or i.run_id is null or i.receipt is null then
        format('item %s of a commit lacks its workflow, run or receipt', i.item)
      when i.transition in ('suspend', 'keep') then
        format('invalid continuation of run %s: %s', i.run_id, left(i.result::text, 100))
      when i.transition = 'continue' then
        format('invalid next generation of run %s: %s', i.run_id, coalesce(left(i.result::text, 100), 'null'))
      else format('invalid transition "%s" of run %s', i.transition, i.run_id)
    end
  into v_message
  from unnest(names, run_ids, receipts, transitions, results) with ordinality
    as i (name, run_id, receipt, transition, result, item)
  where i.name is null
    or i.run_id is null
    or i.receipt is null
    or i.transition is null
    or i.transition not in ('keep', 'suspend', 'complete', 'fail', 'cancel', 'retry', 'continue', 'release')
    or i.transition = 'suspend' and i.result is null
    or i.transition in ('suspend', 'keep') and jsonb_typeof(i.result) <> 'object'
    or i.transition = 'continue' and (
      i.result @? 'strict $.version ? (@.type() == "number" && @ >= 1 && @ <= 2147483647 && @.floor() == @)'
      or i.result is not null and jsonb_typeof(i.result) = 'object' and not i.result ? 'version'
    ) is not true
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null,
      'Transitions are keep, suspend, complete, fail, cancel, retry, continue and release; a continuation is a JSON object, and a next generation one with input and version.');
  end if;
end
$function$;

comment on function queue._check_commit(text[], bigint[], bigint[], text[], jsonb[]) is
$comment$Checks the runs, transitions and continuations of a commit before anything is written. _is_held() checks to which runs steps, values and chunks belong.
Errors: OX004 invalid argument, with the first invalid item.$comment$;
