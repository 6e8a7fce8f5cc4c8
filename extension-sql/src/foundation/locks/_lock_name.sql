create or replace function queue._lock_name(name text)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  -- Anyone who may connect can take an advisory lock; and a lock of a row, however often it is taken, leaves no dead row.
  perform
  from queue.name_lock as l
  where l.bucket = queue._lock_bucket(_lock_name.name)
  for update;
  if not found then
    perform queue._raise('XX001', 'queue.name_lock has lost a row', null, 'Insert the buckets 0 to 1023 again.');
  end if;
end
$function$;

comment on function queue._lock_name(text) is
$comment$Locks a name until the transaction ends, or waits for the transaction that has locked it or another name of its bucket.
Errors: XX001 the row of its bucket is missing.
Touches: queue.name_lock, a row that it locks.$comment$;
