create or replace function queue._create_queue_table(name text, kind text)
returns void
language plpgsql
volatile
as $function$
declare
  v_table    constant text := 'q_' || _create_queue_table.name;
  v_first_id bigint;
  v_maximum  text;
begin
  perform queue._skip_lost_ids();
  v_first_id := coalesce(pg_sequence_last_value('queue.skipped_ids'), 0) + 1;
  v_maximum := coalesce(' maxvalue ' || queue._last_own_id(v_first_id), '');
  case _create_queue_table.kind
    when 'standard' then
      execute format($sql$
        create table queue.%1$I (
          msg_id      bigint generated always as identity (sequence name queue.%2$I start %4$s%5$s),
          visible_at  timestamptz not null,
          enqueued_at timestamptz not null,
          receipt     bigint,
          read_ct     integer not null default 0,
          message     jsonb not null,
          headers     jsonb,
          spared      integer,
          constraint %3$I primary key (msg_id)
        )
      $sql$, v_table, 'ids_of_' || v_table, 'pkey_of_' || v_table, v_first_id, v_maximum);
      execute format($sql$
        create index %1$I on queue.%2$I (visible_at, msg_id)
      $sql$, 'ready_of_' || v_table, v_table);

    when 'fifo' then
      execute format($sql$
        create table queue.%1$I (
          msg_id           bigint generated always as identity (sequence name queue.%2$I start %4$s%5$s),
          visible_at       timestamptz not null,
          enqueued_at      timestamptz not null,
          receipt          bigint,
          read_ct          integer not null default 0,
          head             boolean not null,
          message_group_id text not null,
          message          jsonb,
          headers          jsonb,
          spared           integer,
          constraint %3$I primary key (msg_id),
          constraint only_a_tombstone_has_no_message check (message is not null or head)
        )
      $sql$, v_table, 'ids_of_' || v_table, 'pkey_of_' || v_table, v_first_id, v_maximum);
      execute format($sql$
        create index %1$I on queue.%2$I (visible_at, msg_id) where head
      $sql$, 'ready_of_' || v_table, v_table);
      execute format($sql$
        create index %1$I on queue.%2$I (message_group_id, msg_id) where head
      $sql$, 'heads_of_' || v_table, v_table);
      execute format($sql$
        create index %1$I on queue.%2$I (message_group_id, msg_id) where not head
      $sql$, 'waiting_of_' || v_table, v_table);
  end case;

  -- Rows live for seconds and are written thrice: room for the next version on the page, and vacuum as soon as it
  -- pays. Statistics matter little, and an emptied table grows again.
  execute format($sql$
    alter table queue.%1$I set (
      fillfactor = 70, vacuum_truncate = off,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
      autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
      toast.vacuum_truncate = off, toast.autovacuum_vacuum_scale_factor = 0,
      toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_cost_delay = 0
    )
  $sql$, v_table);
  execute format(
    'comment on table queue.%1$I is %2$L',
    v_table,
    format('Messages of the %s queue "%s". Use the functions of schema queue, never the table.',
      _create_queue_table.kind, _create_queue_table.name)
  );
end
$function$;

comment on function queue._create_queue_table(text, text) is
$comment$Makes the table of a queue: the only CREATE TABLE at run time.
kind: standard or fifo. A row is ready when receipt is null and visible_at has passed, delayed when receipt is null and visible_at is to come, in flight when it has a receipt and visible_at, the end of the lease, is to come, and receivable again after that. A suspect that waits to be received apart is visible at infinity, and is noted in queue.suspect: see _judge_redelivered(). spared counts the deliveries that do not count towards max_receives, because their leases expired in silence while other messages were with their consumer; it is ~spared, which is negative, once a consumer has set when its message becomes visible, so that this delivery counts; null is 0. A fifo row with a null message is a tombstone: an acknowledged head whose successor is not promoted yet, or a note that a group may have no head.
Touches: creates queue.q_<name> with its indexes, called ready_of_q_<name>, pkey_of_..., in a FIFO queue heads_of_... and waiting_of_..., and its sequence ids_of_....$comment$;
