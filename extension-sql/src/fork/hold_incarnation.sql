create or replace function queue.hold_incarnation(
  origin    text default 'held by hand',
  copied_at timestamptz default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  if origin is null or length(origin) not between 1 and 200 then
    perform queue._raise('OX004', format('invalid origin "%s"', left(origin, 50)), null,
      'Say in 1 to 200 characters why the database is held.');
  elsif copied_at > clock_timestamp() then
    perform queue._raise('OX004', format('copied_at %s is to come', copied_at), null,
      'Give the time at which the copy was made.');
  end if;
  update queue.own_incarnation as i
  set state = 'held',
    became_at = clock_timestamp(),
    copied_at = coalesce(hold_incarnation.copied_at, clock_timestamp()),
    origin = hold_incarnation.origin,
    written_by = pg_current_xact_id()
  where i.state <> 'held';
  return found;
end
$function$;

comment on function queue.hold_incarnation(text, timestamptz) is
$comment$Marks this database as a copy, so that nothing is received, delivered or started by the clock until release_incarnation(). For copies of the files of a cluster, point-in-time recoveries and standbys that were promoted by mistake, which can't be told from their source: call it before anybody else connects. What a worker has received before goes on until it suspends.
origin: why, for people. copied_at: up to when the copy has the history of its source; null is now.
Returns false when it was held before.
Errors: OX004 invalid argument.
Touches: queue.own_incarnation.$comment$;
