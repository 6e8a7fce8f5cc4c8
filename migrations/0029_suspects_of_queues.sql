-- Messages that are suspected of ending their consumers are received apart, and the deliveries of others don't count.

create table queue.suspect (
  suspected_at timestamptz not null,
  msg_id       bigint not null,
  queue_name   text not null,
  constraint suspect_pkey primary key (queue_name, msg_id, suspected_at)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.suspect is
  'One row a message that waits to be received apart from others of its kind, since its last leases expired. A row whose message is not visible at infinity is out of date.';
comment on column queue.suspect.suspected_at is 'When a receive put the message apart.';
comment on column queue.suspect.msg_id is 'The message.';
comment on column queue.suspect.queue_name is 'Its queue.';

alter table queue.queue add column suspected_at timestamptz;

comment on column queue.queue.suspected_at is 'When a message of the queue was first put apart; null: never, and queue.suspect has no row of it.';

do $queues$
declare
  v_name text;
begin
  for v_name in
    select 'q_' || q.name from queue.queue as q where q.kind <> 'workflow' order by q.name
  loop
    execute format('alter table queue.%I add column spared integer', v_name);
  end loop;
end
$queues$;
