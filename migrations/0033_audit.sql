-- Audit: who changed what by hand, when, from where and with which outcome.

create table queue.audit (
  acted_at     timestamptz not null,
  audit_id     bigint not null generated always as identity,
  actor_kind   text not null,
  actor        text not null,
  token        text,
  role_name    name not null,
  address      text,
  action       text not null,
  subject_type text not null,
  subject      text not null,
  outcome      text not null,
  detail       jsonb,
  constraint audit_pkey primary key (acted_at, audit_id),
  constraint audit_actor_kind_is_known check (actor_kind in ('token', 'user', 'delegate', 'role'))
);

create index audit_by_subject on queue.audit (subject_type, subject, acted_at, audit_id);
create index audit_by_actor on queue.audit (actor, acted_at, audit_id);

comment on table queue.audit is
  'One row per object that an actor changed by hand, written by the transaction of the change. No function updates a row; audit_sweep() deletes those past their retention.';
comment on column queue.audit.acted_at is 'When the actor acted.';
comment on column queue.audit.audit_id is 'Distinguishes rows of one instant.';
comment on column queue.audit.actor_kind is
  'How the actor is known: token of the server; user, signed in by OpenID Connect; delegate, named by a token or a role that may act for others; role of the database.';
comment on column queue.audit.actor is 'Name of the actor.';
comment on column queue.audit.token is 'Of a delegate that a token has named: the name of the token. Null otherwise.';
comment on column queue.audit.role_name is 'The role of the session, which no setting can change.';
comment on column queue.audit.address is 'Address of the client: of the HTTP request, or of the session. Null over a local socket.';
comment on column queue.audit.action is 'What the actor did: object.verb.';
comment on column queue.audit.subject_type is 'Kind of the object.';
comment on column queue.audit.subject is 'Id or name of the object.';
comment on column queue.audit.outcome is 'changed; or unchanged if there was nothing to change.';
comment on column queue.audit.detail is 'Facts of the action by name, such as the reason. Never a payload. Null: none.';
