create or replace function queue.hand_over_run(run_id bigint, target text, ends_leases boolean default false)
returns boolean
language plpgsql
volatile
security definer
set lock_timeout = '5s'
as $function$
declare
  v_target  smallint;
  v_outcome text;
begin
  perform queue._migrate_if_older();
  select s.shard into v_target
  from queue.fleet as f
  join queue.fleet_shard as s on s.shard <> f.shard
  where s.name = hand_over_run.target;
  if not found then
    perform queue._raise('OX004', format('this database knows no other shard "%s"', coalesce(target, 'null')), null,
      'Give the name of another shard of its fleet: queue.fleet_map() has them.');
  end if;
  perform queue._require_shard(target);
  if queue._moved_to(run_id) = v_target then
    return true;
  end if;
  v_outcome := queue._hand_over(run_id, v_target, coalesce(ends_leases, false));
  -- Callers ask again and again.
  if v_outcome <> 'waiting' then
    perform queue._record_action('run.move', 'run', array[run_id::text],
      jsonb_build_object('shard', target), changed => v_outcome = 'moved');
  end if;
  return v_outcome = 'moved';
end
$function$;

comment on function queue.hand_over_run(bigint, text, boolean) is
$comment$Moves a run to another shard, with the runs that its steps have invoked and those that have invoked it. All their rows leave in this transaction as one item of the outbox, which a relay delivers soon after the commit. The run keeps its id, and what is sent to it here follows it. It never executes in both.
target: name of the shard.
ends_leases: takes the runs from the workers that execute them, which may call a callback again, as after a crash. Otherwise workers are asked to give them back: the runs are paused until then, and move by themselves soon after.
Returns true if they have left, also if an earlier call has moved them to this shard; false if their workers were asked.
Errors: OX004 invalid argument, or the shard is being drained; the run can't move: it has more than 16 MiB or 1,000 runs in its family, flow control, requests for approval, a wait for a topic, is of a definition, or a schedule that skips while it runs has started it. OX005 no such run; OX028 it is in another shard, or this database is held as a copy; OX029 it has moved to another shard; 55P03 a transaction has locked it for longer than five seconds.
Touches: the rows of the runs in all tables; queue.elsewhere, queue.key_elsewhere, queue.departing, queue.outbox, queue.audit.$comment$;
