create or replace function queue._adopt_children(parents bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  -- Those of earlier generations, or failed and cancelled ones of earlier attempts, would be taken for runs of steps that
  -- are called again.
  update queue.workflow_run as c
  set parent_run_id = case when k.is_current then c.parent_run_id end,
    parent_step = case when k.is_current then c.parent_step end,
    is_detached = case when k.is_current then c.is_detached end,
    parent_generation = null,
    parent_rewound = null
  from (
    select r.run_id,
      r.parent_generation = coalesce(p.generation, 1)
        and (
          coalesce(r.parent_rewound, 0) >= coalesce(p.rewound, 0)
          or r.is_detached
          or r.status in ('running', 'completed') and not coalesce(m.headers ? 'cancelled', false)
        ) as is_current
    from queue.workflow_run as r
    join queue.workflow_run as p on p.run_id = r.parent_run_id
    left join queue.workflow_continuation as m on m.msg_id = r.run_id
    where r.parent_run_id = any (parents)
      and r.parent_generation is not null
  ) as k
  where c.run_id = k.run_id;
end
$function$;

comment on function queue._adopt_children(bigint[]) is
$comment$Makes runs that runs of another shard have invoked here those of runs of this shard, after their parents have arrived. Runs of earlier generations lose the link, and those that failed, or were cancelled, before a retry, as in one database.
parents: the runs that have arrived.
Touches: queue.workflow_run; reads queue.workflow_continuation.$comment$;
