create or replace function queue.hold_incarnation(
  origin    text default 'held by hand',
  copied_at timestamptz default null
)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_held boolean;
begin
  perform queue._ensure_migrated();
  if (length(origin) between 1 and 200) is not true then
    perform queue._raise('OX004', format('invalid origin "%s"', left(origin, 50)), null,
      'Give the reason in 1 to 200 characters.');
  elsif (copied_at <= clock_timestamp() and isfinite(copied_at)) is false then
    perform queue._raise('OX004', format('copied_at %s is not in the past', copied_at), null,
      'Pass the time at which the copy was made.');
  end if;
  update queue.own_incarnation as i
  set state = 'held',
    became_at = clock_timestamp(),
    copied_at = coalesce(hold_incarnation.copied_at, clock_timestamp()),
    origin = hold_incarnation.origin,
    written_by = pg_current_xact_id()
  where i.state <> 'held';
  v_held := found;
  perform queue._record_action('database.hold', 'database', array[current_database()],
    jsonb_build_object('origin', hold_incarnation.origin), changed => v_held);
  return v_held;
end
$function$;

comment on function queue.hold_incarnation(text, timestamptz) is
$comment$Marks this database as a copy: nothing is received, delivered or started by the clock until release_incarnation(). Use it for copies that cannot be distinguished from their source: copied files of a cluster, point-in-time recoveries, standbys promoted by mistake. Call it before any worker or server connects. A run that a worker has already received continues until it suspends.
origin: the reason, for people, 1 to 200 characters.
copied_at: time up to which the copy has the history of its source; null means now.
Returns true if this call marked the database; false if it was already held.
Errors: OX004 invalid argument.
Touches: queue.own_incarnation; queue.audit.$comment$;
