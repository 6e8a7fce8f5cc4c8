create or replace function queue._accept_run(source smallint, body jsonb)
returns void
language plpgsql
volatile
-- plans: index, nested loop, generic
as $function$
declare
  v_rows    jsonb := body -> 'rows';
  v_run_ids bigint[];
  v_item    bigint;
  v_state   text;
  v_problem text;
begin
  if (body ->> 'state' <= '@latest_state@' collate "C") is not true then
    -- No rejection: what follows the run must not overtake it.
    perform queue._raise('OX006', format('run %s comes from a shard of a newer release', body ->> 'run'), null,
      'Upgrade this shard to the release of the other.');
  end if;
  if body ->> 'state' <> '@latest_state@' then
    -- The body stays as it is, for a shard of that release, to which the run may return.
    select jsonb_object_agg(t.table_name, queue._complete_rows(t.table_name, t.packed)) into v_rows
    from jsonb_each(v_rows) as t (table_name, packed);
  end if;
  v_run_ids := array(
    select (i.packed_row::queue.workflow_run).run_id
    from jsonb_array_elements_text(v_rows -> 'workflow_run') as i (packed_row)
    order by 1
  );
  if exists (select from queue.workflow_run as r where r.run_id = any (v_run_ids)) then
    perform queue._raise('OX004', format('run %s is here already', body ->> 'run'), null,
      'One of the shards has lost commits: compare the two runs, and delete one.');
  end if;
  begin
    perform queue._unpack_runs(v_rows, v_run_ids);
    perform queue._require_movable(v_run_ids);
    perform queue._adopt_children(v_run_ids);
    delete from queue.elsewhere as e where e.run_id = any (v_run_ids);
    perform pg_advisory_xact_lock_shared(hashtextextended('oxbow:keys', 0));
    -- Joins the rows that have arrived: the planner would read all keys of a table of which it has no statistics yet.
    delete from queue.key_elsewhere as k
    using (
      select i.packed_row::queue.workflow_run as run
      from jsonb_array_elements_text(v_rows -> 'workflow_run') as i (packed_row)
    ) as r
    where k.workflow_name = (r.run).workflow_name
      and k.idempotency_key = (r.run).idempotency_key
      and (r.run).superseded_by is null;
    perform queue._send_arrived_keys(v_run_ids);
    perform queue._wake_workflows(v_run_ids);
    return;
  exception
    when others then
      get stacked diagnostics v_state = returned_sqlstate, v_problem = message_text;
      if (queue._is_rejection(v_state) and not body ? 'problem') is not true then
        raise;
      end if;
  end;
  -- It can't be here, and returns.
  v_item := queue._send_item(source, 'run', null, body || jsonb_build_object('problem', v_problem));
  insert into queue.elsewhere (run_id, item_id, shard)
  select f.run_id, v_item, _accept_run.source
  from unnest(v_run_ids) as f (run_id)
  on conflict on constraint elsewhere_pkey do update set item_id = excluded.item_id, shard = excluded.shard;
  perform queue._record_action('run.return', 'run', array[body ->> 'run'],
    jsonb_build_object('problem', v_problem), changed => false);
end
$function$;

comment on function queue._accept_run(smallint, jsonb) is
$comment$Continues a run and its family, which another shard has handed over. If that is impossible, it hands them back.
source: number of the other shard.
body: as _hand_over() of this release, or an older one, writes it.
Errors: OX004 the run is here already; OX006 the other shard has a newer release.
Touches: the advisory lock of keys, shared (waits for those that arrive); as _unpack_runs() and _send_arrived_keys(); queue.elsewhere, queue.key_elsewhere; to hand back, as _send_item(), and queue.audit.$comment$;
