create or replace function queue._accept_child_end(body jsonb)
returns text
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_run_id     constant bigint := (body ->> 'run')::bigint;
  v_step       constant text := body ->> 'step';
  v_generation constant integer := (body ->> 'generation')::integer;
  v_rewound    constant integer := (body ->> 'rewound')::integer;
  v_event      constant text := queue._child_event(v_generation, v_step);
  v_name       text;
  v_message    jsonb;
  v_leased     boolean;
  v_waits      boolean;
  v_wait       jsonb;
begin
  select r.workflow_name, m.message, m.receipt is not null and m.visible_at > clock_timestamp(),
    coalesce(r.generation, 1) = v_generation
      -- After a retry, the step invokes another run instead of one that failed, or was cancelled with its parent.
      and (body -> 'end' ? 'error' and v_rewound < r.rewound) is not true
  into v_name, v_message, v_leased, v_waits
  from queue.workflow_continuation as m
  join queue.workflow_run as r on r.run_id = m.msg_id
  where m.msg_id = v_run_id
  for no key update of m;
  if not found then
    -- It has ended, or left since it was found here.
    return queue._forward_item('child_end', body);
  end if;
  if not v_waits or exists (
    select
    from queue.workflow_step as s
    where s.run_id = v_run_id
      and s.step_name = v_step
  ) then
    return 'gone';
  end if;

  v_wait := jsonb_path_query_first(
    v_message -> 'waits', '$[*] ? (@.kind == "invoke" && @.step == $step)', jsonb_build_object('step', v_step)
  );
  if v_wait is not null and not v_leased and not queue._is_journal_full(
    v_run_id, coalesce((v_message ->> 'journaled')::integer, 0), 1, queue._large_size(body -> 'end')
  ) then
    perform queue._deliver_signal(v_name, v_run_id, v_message, v_wait, body -> 'end', clock_timestamp());
    return 'ok';
  end if;
  -- The commit that waits takes it; also one that a crash has lost, and that is repeated.
  delete from queue.workflow_buffered_signal as b
  where b.run_id = v_run_id
    and b.event = v_event;
  insert into queue.workflow_buffered_signal (run_id, received_at, event, payload)
  values (v_run_id, clock_timestamp(), v_event, body -> 'end');
  if v_wait is not null then
    perform queue._wake_signalled_run(v_name, v_run_id, v_leased, clock_timestamp());
  end if;
  return 'ok';
end
$function$;

comment on function queue._accept_child_end(jsonb) is
$comment$Journals the end of a run in another shard as a step of its parent, which becomes visible. If the parent is executing, does not wait yet, or has a full journal, the end is buffered, and its next commit takes it.
body: as _send_child_ends() writes it.
Returns ok; gone if the step has ended, or the parent has, or if it failed for an attempt before the last retry of the parent.
Errors: 40001 the parent has left and come back: repeat the batch.
Touches: as _forward_item() if the parent has moved; queue.workflow_continuation, queue.workflow_step, queue.workflow_buffered_signal.$comment$;
