create or replace function queue._accept_child(body jsonb)
returns text
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_parent     constant bigint := (body ->> 'parent')::bigint;
  v_step       constant text := body ->> 'step';
  v_generation constant integer := (body ->> 'generation')::integer;
  v_rewound    constant integer := (body ->> 'rewound')::integer;
  v_child      record;
begin
  select r.run_id, r.status::text as status, r.parent_generation as generation, r.parent_rewound as rewound,
    r.is_detached, coalesce(m.headers ? 'cancelled', false) as is_rolling_back
  into v_child
  from queue.workflow_run as r
  left join queue.workflow_continuation as m on m.msg_id = r.run_id
  where r.parent_run_id = v_parent
    and r.parent_step = v_step;
  if v_child.generation > v_generation then
    return 'gone';
  end if;
  if v_child.generation = v_generation
    and (v_child.status in ('running', 'completed') and not v_child.is_rolling_back or v_child.is_detached)
  then
    -- The parent was retried, and repeats the step.
    update queue.workflow_run as r
    set parent_rewound = v_rewound
    where r.run_id = v_child.run_id
      and v_rewound > coalesce(r.parent_rewound, -1);
    if v_child.status = 'completed' or v_child.is_detached then
      perform queue._send_child_ends(array[v_child.run_id]);
    end if;
    return 'ok';
  end if;
  -- A step that is repeated after the failure or the cancellation of its run, or in the next generation, gets a new one.
  update queue.workflow_run as r
  set parent_run_id = null,
    parent_step = null,
    is_detached = null,
    parent_generation = null,
    parent_rewound = null
  where r.run_id = v_child.run_id;

  perform queue._start_children(
    array[v_parent], array[true], array[1], array[body ->> 'kind'], array[v_step], array[body ->> 'workflow'],
    array[body -> 'input'], array[(body ->> 'version')::integer], array[(body ->> 'retentionDays')::integer],
    array[body -> 'trace'], array[body ->> 'route']
  );
  update queue.workflow_run as r
  set parent_generation = v_generation,
    -- That of the run before is higher if the shard of the parent has lost a retry. A repetition of it is skipped.
    parent_rewound = greatest(v_child.rewound, v_rewound)
  where r.parent_run_id = v_parent
    and r.parent_step = v_step
  returning r.run_id, r.status::text as status, r.is_detached into v_child.run_id, v_child.status, v_child.is_detached;
  perform queue._record_starters(
    array[v_child.run_id], array(select jsonb_array_elements_text(body -> 'starters'))
  );
  if v_child.is_detached or v_child.status <> 'running' then
    perform queue._send_child_ends(array[v_child.run_id]);
  end if;
  return 'ok';
end
$function$;

comment on function queue._accept_child(jsonb) is
$comment$Starts a run that a step of a run in another shard invokes.
body: as _send_children() writes it.
Returns ok; gone if a later generation of the parent has invoked another run by this step.
Touches: as _start_children(); queue.workflow_run, queue.workflow_starter; as _send_child_ends(); reads queue.workflow_continuation.$comment$;
