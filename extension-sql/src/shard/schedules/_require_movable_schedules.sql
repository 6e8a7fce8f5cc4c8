create or replace function queue._require_movable_schedules(route text, slots integer[])
returns void
language plpgsql
stable
as $function$
declare
  v_most       constant integer := 5000;
  v_most_named constant integer := 20;
  v_count      bigint;
  v_unended    text[];
begin
  select count(*), array_agg(format('"%s" until run %s ends', left(s.name, 140), s.unended_run) order by s.name)
    filter (where s.unended_run is not null)
  into v_count, v_unended
  from queue._route_schedules(route, slots) as s;
  if v_unended is not null then
    perform queue._raise('OX004',
      format('schedules that skip ticks can''t move: %s', array_to_string(v_unended[1:v_most_named], ', ')), null,
      'Pause the schedules, and let the runs end, or cancel them.');
  end if;
  if (v_count <= v_most) is not true then
    perform queue._raise('OX004', format('%s schedules would move in one transaction: at most %s can', v_count, v_most), null,
      case when route is null then 'Move fewer slots at a time.' else 'Delete schedules that are not needed any more.' end);
  end if;
end
$function$;

comment on function queue._require_movable_schedules(text, integer[]) is
$comment$Requires that the schedules of a route, or of the routes of slots, can move to another shard.
route: null for those of the slots.
Errors: OX004 one skips its ticks until its last run ends, which is running, or there are more than 5,000.
Touches: nothing; as _route_schedules().$comment$;
