create or replace function queue._require_own_family(run_id bigint, route text, slots integer[])
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_other record;
begin
  select r.run_id, r.route into v_other
  from queue.workflow_run as r
  where r.run_id = any (queue._run_family(_require_own_family.run_id))
    and r.route is not null
    and (
      not queue._is_of_route(r.route, null, _require_own_family.route, _require_own_family.slots)
      or (_require_own_family.route is null and queue._is_pinned(r.route, null))
    )
  limit 1;
  if found then
    perform queue._raise('OX004',
      format('run %s can''t move: run %s of route "%s" is of its family', run_id, v_other.run_id, left(v_other.route, 40)),
      null, 'Move that route first, or delete the runs that have ended.');
  end if;
end
$function$;

comment on function queue._require_own_family(bigint, text, integer[]) is
$comment$Requires that no run of another route would move along with a run.
route, slots: as in hand_over_route().
Errors: OX004 one would.
Touches: nothing; reads queue.workflow_run; as _is_pinned().$comment$;
