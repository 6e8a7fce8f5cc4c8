-- The identity and place of this database, by which a copy detects that it is one and is held. Deliveries that a
-- sandbox would have sent to urls are kept here too.

create table queue.own_incarnation (
  became_at         timestamptz not null,
  copied_at         timestamptz,
  system_identifier bigint not null,
  written_by        xid8 not null,
  incarnation_id    uuid not null,
  parent_id         uuid,
  database_oid      oid not null,
  table_oid         oid not null,
  server_version    integer not null,
  is_the_only_one   boolean not null default true,
  state             text not null,
  origin            text not null,
  constraint own_incarnation_pkey primary key (is_the_only_one),
  constraint incarnation_is_the_only_one check (is_the_only_one),
  constraint incarnation_state_is_known check (state in ('new', 'live', 'sandbox', 'held'))
);

comment on table queue.own_incarnation is
  'One row: who this database is, and where that was written down. No migration may rewrite this table: by the transaction that wrote its row it is seen, for nothing, that the row was not restored from a dump.';
comment on column queue.own_incarnation.became_at is 'Since when it is in this state.';
comment on column queue.own_incarnation.copied_at is 'Of one that was copied: up to when the copy has the history of its source; null where nobody has said so.';
comment on column queue.own_incarnation.system_identifier is 'The cluster, by pg_control_system(). A copy of the files has the same.';
comment on column queue.own_incarnation.written_by is 'The transaction that wrote this row: its xmin.';
comment on column queue.own_incarnation.incarnation_id is 'Identity. A copy gets its own when it is released.';
comment on column queue.own_incarnation.parent_id is 'The incarnation that it is a copy of.';
comment on column queue.own_incarnation.database_oid is 'The database within the cluster.';
comment on column queue.own_incarnation.table_oid is 'This table within the database.';
comment on column queue.own_incarnation.server_version is 'As server_version_num: pg_upgrade makes a new cluster, but no copy.';
comment on column queue.own_incarnation.is_the_only_one is 'There is one row.';
comment on column queue.own_incarnation.state is 'new: nobody has received a run yet, and a copy of it is as new. live, sandbox. held: nothing is received, delivered or started by the clock until release_incarnation().';
comment on column queue.own_incarnation.origin is 'How it came into this state, for people.';

-- Where runs are in flight, this is where they belong.
insert into queue.own_incarnation (
  became_at, system_identifier, written_by, incarnation_id, database_oid, table_oid, server_version, state, origin
)
select clock_timestamp(), c.system_identifier, pg_current_xact_id(), gen_random_uuid(), d.oid,
  'queue.own_incarnation'::regclass::oid, current_setting('server_version_num')::integer,
  case when exists (select from queue.workflow_run) then 'live' else 'new' end, 'installed'
from pg_control_system() as c, pg_database as d
where d.datname = current_database();

create table queue.captured_delivery (
  capture_id      bigint generated always as identity,
  captured_at     timestamptz not null,
  subscription_id bigint,
  url             text,
  message         jsonb,
  headers         jsonb,
  constraint captured_delivery_pkey primary key (capture_id)
);

comment on table queue.captured_delivery is
  'One row for each delivery to a url that a sandbox did not send.';
comment on column queue.captured_delivery.capture_id is 'Order of the captures.';
comment on column queue.captured_delivery.captured_at is 'When it was published; of what came along with a fork, when that was released.';
comment on column queue.captured_delivery.subscription_id is 'The subscription.';
comment on column queue.captured_delivery.url is 'Where it would have gone.';
comment on column queue.captured_delivery.message is 'The message.';
comment on column queue.captured_delivery.headers is 'Its headers; topic is among them.';
