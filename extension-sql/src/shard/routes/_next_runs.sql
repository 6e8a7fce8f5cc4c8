create or replace function queue._next_runs(
  route        text,
  slots        integer[],
  after        bigint,
  only_running boolean,
  max_runs     integer,
  up_to        bigint
)
returns table (last_run_id bigint, run_ids bigint[], newest_run_id bigint)
language plpgsql
stable
as $function$
begin
  perform queue._check_count(max_runs);
  if num_nulls(after, only_running) > 0 then
    perform queue._raise('OX004', format('invalid %s null', case when after is null then 'after' else 'only_running' end), null,
      'Begin with after => 0, and decide whether runs that have ended stay.');
  end if;
  newest_run_id := coalesce(up_to, (select max(r.run_id) from queue.workflow_run as r), 0);
  select r.last_run_id, r.run_ids into last_run_id, run_ids
  from queue._route_runs(_next_runs.route, _next_runs.slots, _next_runs.after, _next_runs.only_running, newest_run_id) as r;
  if cardinality(run_ids) > max_runs then
    run_ids := run_ids[1:max_runs];
    last_run_id := run_ids[max_runs];
  end if;
  return next;
end
$function$;

comment on function queue._next_runs(text, integer[], bigint, boolean, integer, bigint) is
$comment$Returns the runs that a call of hand_over_route() or drain_runs() moves, and checks its arguments.
route, slots, after, only_running: as in _route_runs().
max_runs: as many at most, 1 to 10000.
up_to: null for all that there are now.
Returns the run after which the next call continues, null after all; the runs, in the order of their ids; and up_to, or else the newest run.
Errors: OX004 invalid argument.
Touches: nothing; as _route_runs().$comment$;
