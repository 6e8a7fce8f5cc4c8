create or replace function queue._accept_child_cancel(body jsonb)
returns text
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_children bigint[];
begin
  v_children := array(
    select r.run_id
    from queue.workflow_run as r
    where r.parent_run_id = (body ->> 'parent')::bigint
      and (not body ? 'step' or r.parent_step = body ->> 'step')
      and r.parent_generation = (body ->> 'generation')::integer
      -- A later attempt of the parent, which has moved since, may have invoked it again.
      and (r.parent_rewound > (body ->> 'rewound')::integer) is not true
      and not r.is_detached
    order by r.run_id
  );
  if v_children = '{}' then
    return 'gone';
  end if;
  perform queue._cancel_one_run(c.run_id, body ->> 'reason', (body ->> 'rollback')::boolean)
  from unnest(v_children) as c (run_id);
  return 'ok';
end
$function$;

comment on function queue._accept_child_cancel(jsonb) is
$comment$Cancels the run that a step of a run in another shard has invoked, or those of all its steps, if they still run.
body: as _send_child_cancels() writes it.
Returns ok; gone if there is no such run, or an attempt of its parent after the cancellation has invoked it.
Touches: as _cancel_one_run().$comment$;
