create or replace function queue._lock_tables()
returns void
language plpgsql
volatile
as $function$
declare
  -- The server looks for a deadlock after deadlock_timeout; an attempt gives up before, with time to spare for a machine
  -- that stalls.
  v_longest  constant interval := least(0.5 * current_setting('deadlock_timeout')::interval, interval '2 seconds');
  v_give_up  constant timestamptz := clock_timestamp() + interval '60 seconds';
  v_timeout  constant text := current_setting('lock_timeout');
  v_until    timestamptz;
  v_attempts integer := 0;
  v_busy     regclass[] := '{}'::regclass[];
  v_table    regclass;
begin
  loop
    begin
      perform set_config('lock_timeout', ceil(extract(epoch from v_longest) * 1000)::text, true);
      -- Most attempts are short: among many short transactions there is an instant without any, while the ones waiting for
      -- a long attempt may be in its way themselves. A long one outlasts a long transaction.
      v_until := clock_timestamp() + v_longest * power(random(), 3);
      for v_table in
        select c.oid::regclass
        from pg_class as c
        where c.relnamespace = 'queue'::regnamespace
          and c.relkind in ('r', 'p')
        -- Tables that were locked before come first, so that others soon wait before they have one.
        order by array_position(v_busy, c.oid::regclass), c.oid
      loop
        perform set_config(
          'lock_timeout', greatest(1, ceil(extract(epoch from v_until - clock_timestamp()) * 1000))::text, true
        );
        execute format('lock table %s in access exclusive mode', v_table);
      end loop;
      perform set_config('lock_timeout', v_timeout, true);
      return;
    exception
      -- The end of this block has released its locks.
      when lock_not_available or undefined_table then
        if (clock_timestamp() <= v_give_up) is not true then
          raise;
        end if;
    end;
    v_busy := v_table || array_remove(v_busy, v_table);
    v_attempts := v_attempts + 1;
    if v_attempts % 4 = 0 then
      perform queue._cancel_autovacuum(v_give_up);
    end if;
    perform pg_sleep(0.02 + 0.1 * random());
  end loop;
end
$function$;

comment on function queue._lock_tables() is
$comment$Locks all tables of the schema exclusively until the transaction ends, and excludes other migrations. Functions lock tables in various orders, so an attempt gives up its locks before a deadlock would be detected. Attempts are repeated for a minute, and what only vacuums hold is freed between them.
Errors: 55P03 other transactions kept the tables locked.
Touches: all tables of schema queue.$comment$;
