create or replace function queue._forward_start(body jsonb)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_max_hops constant integer := 16;
  v_hops     constant integer := coalesce((body ->> 'hops')::integer, 0) + 1;
  v_target   smallint;
  v_follows  boolean := coalesce((body ->> 'followsKey')::boolean, false);
begin
  if (v_hops <= v_max_hops) is not true then
    perform queue._raise('OX004',
      format('shards contradict each other about key "%s" of workflow "%s"', left(body ->> 'key', 40), body ->> 'workflow'),
      null, 'Repeat the item. If that does not help, the run was deleted: start it with another key.');
  end if;
  select k.shard into v_target
  from queue.key_elsewhere as k
  where k.workflow_name = body ->> 'workflow'
    and k.idempotency_key = body ->> 'key';
  if found then
    v_follows := true;
  elsif not v_follows and body ? 'route' then
    v_target := queue._other_home(body ->> 'route');
  end if;
  if v_target is null then
    -- Here, it might have left again.
    perform queue._raise('40001',
      format('the run with key "%s" of workflow "%s", or its route, has come back since it was looked for', left(body ->> 'key', 40), body ->> 'workflow'),
      null, 'Repeat the batch.');
  end if;
  perform queue._send_item(v_target, 'start', null, body || jsonb_build_object('followsKey', v_follows, 'hops', v_hops));
end
$function$;

comment on function queue._forward_start(jsonb) is
$comment$Sends a start on whose idempotency key has left with its run, or whose route has left: to the shard that the run has moved to, or where the route is at home.
body: as workflow_start_elsewhere() writes it.
Errors: OX004 it was sent on too often; 40001 they are back: repeat the batch.
Touches: as _send_item(); reads queue.key_elsewhere; as _homes_of().$comment$;
