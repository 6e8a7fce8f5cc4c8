create or replace function queue._require_own_family(run_id bigint, target smallint)
returns void
language plpgsql
stable
-- plans: index
as $function$
declare
  v_other record;
begin
  select r.run_id, r.route into v_other
  from queue.workflow_run as r
  where r.run_id = any (queue._run_family(_require_own_family.run_id))
    and exists (select from queue._homes_of(array[r.route]) as h where h.shard <> _require_own_family.target)
  limit 1;
  if found then
    perform queue._raise('OX004',
      format('run %s can''t move: run %s of route "%s" is of its family', run_id, v_other.run_id, left(v_other.route, 40)),
      null, 'Move that route first, or delete the runs that have ended.');
  end if;
end
$function$;

comment on function queue._require_own_family(bigint, smallint) is
$comment$Requires that no run whose route is at home in another shard than the target would move along with a run.
target: number of the shard.
Errors: OX004 one would.
Touches: nothing; reads queue.workflow_run; as _homes_of().$comment$;
