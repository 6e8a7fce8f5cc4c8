create or replace function queue.move_slots(
  slots         integer[],
  shard         text,
  after         bigint default 0,
  informs_shard boolean default false
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_target constant smallint := queue._require_shard(shard);
begin
  perform queue._check_selection(null, slots);
  return queue._hand_over_home(null, slots, v_target, coalesce(after, 0), coalesce(informs_shard, false));
end
$function$;

comment on function queue.move_slots(integer[], text, bigint, boolean) is
$comment$Makes another shard the home of the routes of slots, as pin_route() does for one route, in the shard that has them now. Routes that are pinned stay where they are.
slots: 0 to 1023; those that are at home elsewhere are skipped.
shard: name of the shard.
after: what the call before has returned.
informs_shard: as in pin_route().
Returns null when the home has changed; otherwise what the next call needs. If an earlier call has changed it, the others, but not the shard itself, are informed again: one of them may have been restored since.
Errors: as pin_route().
Touches: as _hand_over_home().$comment$;
