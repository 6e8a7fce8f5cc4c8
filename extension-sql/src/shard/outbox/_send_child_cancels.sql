create or replace function queue._send_child_cancels(run_id bigint, step text, reason text, rollback boolean)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform queue._send_item(
    c.shard, 'child_cancel', null,
    jsonb_strip_nulls(jsonb_build_object(
      'parent', r.run_id::text, 'generation', coalesce(r.generation, 1), 'rewound', coalesce(r.rewound, 0),
      'step', step, 'reason', reason, 'rollback', rollback
    ))
  )
  from queue.workflow_run as r
  cross join unnest(r.child_shards) as c (shard)
  -- A run that has moved next to its children is their parent as in one database.
  where r.run_id = _send_child_cancels.run_id
    and c.shard <> (select f.shard from queue.fleet as f)
  order by c.shard;
end
$function$;

comment on function queue._send_child_cancels(bigint, text, text, boolean) is
$comment$Cancels the runs in other shards that this generation of a run has invoked, whatever has become of its waits: a retry and a rollback take them back.
step: that has invoked the run; null for any.
reason, rollback: as in workflow_cancel().
Touches: as _send_item(); reads queue.workflow_run, queue.fleet.$comment$;
