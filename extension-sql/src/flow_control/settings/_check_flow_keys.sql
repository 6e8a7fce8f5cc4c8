create or replace function queue._check_flow_keys(name text, flow jsonb, keys text[], priorities integer[])
returns void
language plpgsql
stable
as $function$
declare
  v_problem text;
begin
  select c.problem into v_problem
  from unnest(keys, priorities) as i (key, priority)
  cross join lateral (
    select case
      when i.priority is not null and not coalesce(flow ? 'priority', false) then
        format('priority %s of a run of workflow "%s", whose flow control has no priority', i.priority, name)
      when i.priority not between -1000000 and 1000000 then
        format('invalid priority %s: it is from -1000000 to 1000000', i.priority)
      when i.key is not null and not coalesce(flow ? 'key', false) then
        format('flow key "%s" of a run of workflow "%s", whose flow control has no key', left(i.key, 40), name)
      when i.key = '' or length(i.key) > 512 then
        format('invalid flow key "%s": a key is 1 to 512 characters', left(i.key, 40))
    end
  ) as c (problem)
  where c.problem is not null
  limit 1;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null,
      'Correct the start, or change the flow control with workflow_set_flow_control(). Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_flow_keys(text, jsonb, text[], integer[]) is
$comment$Checks the flow keys and priorities of starts.
name, flow: of the workflow.
Errors: OX004 invalid argument, with the first invalid value.$comment$;
