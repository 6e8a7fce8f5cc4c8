create or replace function queue._accept_items(source smallint, kinds text[], bodies jsonb[], items integer[])
returns text[]
language plpgsql
volatile
as $function$
declare
  v_outcomes    text[] := array_fill('ok'::text, array[cardinality(kinds)]);
  v_items       integer[];
  v_are_signals boolean;
  v_item        integer;
begin
  for v_items, v_are_signals in
    select array_agg(i.item order by i.n), i.is_signal
    from (
      select u.item, u.n, kinds[u.item] = 'signal' as is_signal,
        u.n - row_number() over (partition by kinds[u.item] = 'signal' order by u.n) as stretch
      from unnest(items) with ordinality as u (item, n)
    ) as i
    group by i.is_signal, i.stretch
    order by min(i.n)
  loop
    if v_are_signals and cardinality(v_items) > 1 then
      v_items := queue._accept_signals(bodies, v_items);
    end if;
    foreach v_item in array v_items loop
      if kinds[v_item] in ('signal', 'cancel', 'child_end')
        and not exists (select from queue.workflow_run as r where r.run_id = (bodies[v_item] ->> 'run')::bigint)
      then
        v_outcomes[v_item] := queue._forward_item(kinds[v_item], bodies[v_item]);
        continue;
      end if;
      case kinds[v_item]
        when 'signal' then
          perform queue.workflow_signal(
            (bodies[v_item] ->> 'run')::bigint, bodies[v_item] ->> 'event', bodies[v_item] -> 'payload',
            bodies[v_item] ->> 'deduplicationId'
          );
        when 'cancel' then
          -- The audit of the other shard has who did it.
          perform queue._cancel_one_run(
            (bodies[v_item] ->> 'run')::bigint, bodies[v_item] ->> 'reason',
            coalesce((bodies[v_item] ->> 'rollback')::boolean, false)
          );
        when 'start' then
          perform queue._accept_start(bodies[v_item]);
        when 'child' then
          v_outcomes[v_item] := queue._accept_child(bodies[v_item]);
        when 'child_cancel' then
          v_outcomes[v_item] := queue._accept_child_cancel(bodies[v_item]);
        when 'child_end' then
          v_outcomes[v_item] := queue._accept_child_end(bodies[v_item]);
        when 'run' then
          perform queue._accept_run(source, bodies[v_item]);
        when 'keys' then
          perform queue._accept_keys(bodies[v_item]);
        when 'schedules' then
          perform queue._accept_schedules(bodies[v_item]);
        when 'groups' then
          perform queue._accept_groups(source, bodies[v_item]);
        when 'group' then
          perform queue._accept_group(bodies[v_item]);
        when 'home' then
          perform queue._accept_home(bodies[v_item]);
        else
          -- No rejection: it waits for the upgrade, and what follows it must not overtake it.
          perform queue._raise('OX006', format('unknown kind "%s" of an item', kinds[v_item]), null,
            'Upgrade this shard to the release of the other.');
      end case;
    end loop;
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
Touches: as the function of each kind, _accept_<kind>(); as _accept_signals() if several signals follow each other; as _forward_item() if the run that an item is for is not here; reads queue.workflow_run.$comment$;
