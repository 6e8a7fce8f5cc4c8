create or replace function queue._send_child_ends(children bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform queue._send_item(
    c.target, 'child_end', null,
    jsonb_strip_nulls(jsonb_build_object(
      'run', c.parent_run_id::text, 'step', c.parent_step, 'generation', c.parent_generation,
      'rewound', c.parent_rewound
    )) || jsonb_build_object(
      'end', case
        when c.is_detached then jsonb_build_object('output', c.run_id::text)
        when c.error is not null then jsonb_build_object('error', c.error)
        when c.output is not null then jsonb_build_object('output', c.output)
        else '{}'
      end
    )
  )
  from (
    select r.*, queue._other_shard(r.parent_run_id) as target
    from queue.workflow_run as r
    where r.run_id = any (children)
      and r.parent_generation is not null
    order by r.run_id
  ) as c
  where c.target is not null;
end
$function$;

comment on function queue._send_child_ends(bigint[]) is
$comment$Sends the ends of runs to their parents in other shards; of a detached run, its id.
children: ended or detached runs. Those without a parent in another shard are skipped.
Touches: as _send_item(); reads queue.workflow_run, queue.fleet, queue.fleet_shard.$comment$;
