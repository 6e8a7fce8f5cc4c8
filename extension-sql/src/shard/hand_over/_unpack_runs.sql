create or replace function queue._unpack_runs(packed jsonb, run_ids bigint[])
returns void
language plpgsql
volatile
as $function$
declare
  v_table text;
begin
  for v_table in
    select t.table_name from queue._run_tables() as t
    where t.table_name not in ('workflow_continuation', 'workflow_buffered_signal')
      -- Most runs have rows in two or three of these tables, and each statement is planned each time.
      and jsonb_array_length(packed -> t.table_name) > 0
  loop
    execute format(
      'insert into queue.%1$I select (i.packed_row::queue.%1$I).* from jsonb_array_elements_text($1) as i (packed_row)', v_table
    ) using packed -> v_table;
  end loop;

  -- Their ids are those of arrival, in this database.
  insert into queue.workflow_buffered_signal (run_id, received_at, event, payload)
  select (s.row).run_id, (s.row).received_at, (s.row).event, (s.row).payload
  from (
    select i.packed_row::queue.workflow_buffered_signal as row, i.position
    from jsonb_array_elements_text(packed -> 'workflow_buffered_signal') with ordinality as i (packed_row, position)
    order by i.position
  ) as s;

  perform queue._create_workflow_queue(n.name)
  from (
    select distinct r.workflow_name as name
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
  ) as n
  where queue._workflow_queue_id(n.name) is null;
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  insert into queue.workflow_continuation
  select p.*
  from (
    select i.packed_row::queue.workflow_continuation as row
    from jsonb_array_elements_text(packed -> 'workflow_continuation') as i (packed_row)
  ) as c
  cross join lateral jsonb_populate_record(c.row, jsonb_build_object(
    'queue_id', queue._workflow_queue_id((
      select r.workflow_name from queue.workflow_run as r where r.run_id = (c.row).msg_id
    )),
    'visible_at', greatest((c.row).visible_at, clock_timestamp())
  )) as p;
  if exists (
    select from queue.workflow_continuation as m where m.msg_id = any (run_ids) and m.undecided is not null
  ) then
    -- Their workflows may have versions here.
    perform queue._adopt_undecided_runs(array(
      select distinct r.workflow_name from queue.workflow_run as r where r.run_id = any (run_ids)
    ));
  end if;
end
$function$;

comment on function queue._unpack_runs(jsonb, bigint[]) is
$comment$Inserts the rows of runs that _pack_runs() of another shard has returned. What waits for a worker can be received from now on.
run_ids: of the runs.
Errors: 23505 a run, or an idempotency key of one, is here already.
Touches: the tables of _run_tables(); as _create_workflow_queue() and _adopt_undecided_runs().$comment$;
