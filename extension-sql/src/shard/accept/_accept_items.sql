create or replace function queue._accept_items(source smallint, kinds text[], bodies jsonb[], items integer[])
returns text[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_outcomes text[] := array_fill('ok'::text, array[cardinality(kinds)]);
  v_item     integer;
begin
  foreach v_item in array items loop
    case kinds[v_item]
      when 'signal' then
        v_outcomes[v_item] := queue._accept_signal(bodies[v_item]);
      when 'cancel' then
        v_outcomes[v_item] := queue._accept_cancel(bodies[v_item]);
      when 'start' then
        v_outcomes[v_item] := queue._accept_start(bodies[v_item]);
      when 'child' then
        v_outcomes[v_item] := queue._accept_child(bodies[v_item]);
      when 'child_cancel' then
        v_outcomes[v_item] := queue._accept_child_cancel(bodies[v_item]);
      when 'child_end' then
        v_outcomes[v_item] := queue._accept_child_end(bodies[v_item]);
      when 'run' then
        v_outcomes[v_item] := queue._accept_run(source, bodies[v_item]);
      else
        -- No rejection: it waits for the upgrade, and what follows it must not overtake it.
        perform queue._raise('OX006', format('unknown kind "%s" of an item', kinds[v_item]), null,
          'Upgrade this shard to the release of the other.');
    end case;
  end loop;
  return v_outcomes;
end
$function$;

comment on function queue._accept_items(smallint, text[], jsonb[], integer[]) is
$comment$Carries out items of another shard, in their order.
source: number of the shard that they are from.
kinds, bodies: as in queue.outbox.
items: positions of those to carry out.
Returns ok or gone by position; ok for the others.
Errors: OX006 unknown kind; those of what the item does.
Touches: as the function of each kind, _accept_<kind>().$comment$;
