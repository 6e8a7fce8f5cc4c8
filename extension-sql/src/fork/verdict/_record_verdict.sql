create or replace function queue._record_verdict(verdict text)
returns void
language plpgsql
volatile
as $function$
begin
  if verdict in ('moved', 'promoted') then
    update queue.own_incarnation as i
    set state = 'held',
      became_at = clock_timestamp(),
      copied_at = null,
      origin = case verdict
        when 'moved' then 'was moved to another cluster or database'
        else 'was promoted, or recovered from an archive'
      end,
      written_by = pg_current_xact_id()
    where i.is_the_only_one = (select l.is_the_only_one from queue.own_incarnation as l where l.state <> 'held' for no key update skip locked);
  else
    -- Don't wait for a transaction that records the same.
    update queue.own_incarnation as i
    set state = case when i.state = 'new' then 'live' else i.state end,
      became_at = case when i.state = 'new' then clock_timestamp() else i.became_at end,
      -- A copy of a new database needs another identity.
      incarnation_id = case when i.state = 'new' then gen_random_uuid() else i.incarnation_id end,
      system_identifier = (select c.system_identifier from pg_control_system() as c),
      database_oid = split_part(pg_relation_filepath('queue.own_incarnation'), '/', -2)::oid,
      table_oid = i.tableoid,
      server_version = current_setting('server_version_num')::integer,
      guarded_timeline = case when i.guarded_timeline is not null then queue._wal_timeline() end,
      written_by = pg_current_xact_id()
    where i.is_the_only_one = (
      select l.is_the_only_one
      from queue.own_incarnation as l
      where (l.state = 'new') = (verdict = 'new')
        and l.state <> 'held'
      for no key update skip locked
    );
  end if;
end
$function$;

comment on function queue._record_verdict(text) is
$comment$Records a verdict of _judge_incarnation(): a new or upgraded database is at home, and one that was moved or promoted is held.
verdict: new, upgraded, moved or promoted.
Touches: queue.own_incarnation (SKIP LOCKED).$comment$;
