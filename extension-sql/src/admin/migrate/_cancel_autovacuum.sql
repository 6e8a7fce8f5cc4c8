create or replace function queue._cancel_autovacuum(give_up timestamptz)
returns void
language plpgsql
volatile
as $function$
declare
  -- The server cancels an autovacuum when a transaction has waited for it for longer than deadlock_timeout.
  v_patience constant interval := current_setting('deadlock_timeout')::interval + interval '1 second';
  v_table    regclass;
begin
  for v_table in
    select c.oid::regclass
    from pg_class as c
    where c.relnamespace = 'queue'::regnamespace
      and c.relkind in ('r', 'p')
    order by c.oid
  loop
    exit when clock_timestamp() > give_up;
    -- No transaction that reads or writes rows conflicts with this lock. No other lock is held with it, and only until
    -- the end of the block, so it can't be part of a deadlock.
    begin
      perform set_config('lock_timeout', ceil(extract(epoch from v_patience) * 1000)::text, true);
      execute format('lock table %s in share update exclusive mode', v_table);
      raise sqlstate 'OX000';
    exception
      when sqlstate 'OX000' or lock_not_available or undefined_table or deadlock_detected then
        null;
    end;
  end loop;
end
$function$;

comment on function queue._cancel_autovacuum(timestamptz) is
$comment$Waits for each table of the schema until no vacuum has it, for long enough that the server cancels an autovacuum, unless that prevents wraparound. Keeps no lock.
give_up: when to give up on the remaining tables.
Touches: all tables of schema queue, each locked for a moment.$comment$;
