-- Approvals: what runs ask people, who answered, and the links by which they can.

create table queue.approval (
  approval_id      bigint generated always as identity,
  run_id           bigint not null,
  requested_at     timestamptz not null,
  expires_at       timestamptz,
  ended_at         timestamptz,
  quorum           integer not null,
  rejections       integer not null,
  excludes_starter boolean not null,
  workflow_name    text not null,
  step_name        text not null,
  outcome          text,
  title            text not null,
  description      text,
  approvers        text[],
  starters         text[],
  form             jsonb,
  constraint approval_pkey primary key (approval_id),
  constraint quorum_is_positive check (quorum >= 1),
  constraint rejections_are_positive check (rejections >= 1),
  constraint ended_approval_has_an_outcome check ((ended_at is null) = (outcome is null)),
  constraint approval_outcome_is_known check (outcome in ('approved', 'rejected', 'expired', 'withdrawn'))
);

-- One open request a step. A retry of the run or its next generation makes another one, next to the ended one.
create unique index approval_open on queue.approval (run_id, step_name) where ended_at is null;
create index approval_waiting on queue.approval (approval_id) where ended_at is null;
create index approval_by_run on queue.approval (run_id);

comment on table queue.approval is
  'One row a request for approval, from the commit that makes it until its run is swept. It is open while the continuation of the run has the wait of its step.';
comment on column queue.approval.approval_id is 'Identity of the request.';
comment on column queue.approval.run_id is 'The run that waits.';
comment on column queue.approval.requested_at is 'When the commit made it.';
comment on column queue.approval.expires_at is 'When the wait times out; null: never.';
comment on column queue.approval.ended_at is 'When it was decided, expired or withdrawn; null while it waits.';
comment on column queue.approval.quorum is 'How many must approve.';
comment on column queue.approval.rejections is 'How many must reject.';
comment on column queue.approval.excludes_starter is 'Whether the people who started the run can''t decide.';
comment on column queue.approval.workflow_name is 'Workflow of the run.';
comment on column queue.approval.step_name is 'The step that waits; of a declared workflow, the path of the node.';
comment on column queue.approval.outcome is
  'approved, rejected, expired, or withdrawn because the run ended or abandoned the step; null while it waits.';
comment on column queue.approval.title is 'The question.';
comment on column queue.approval.description is 'More about it.';
comment on column queue.approval.approvers is 'People and groups who may decide; null: everyone with the right to decide approvals.';
comment on column queue.approval.starters is 'People who started the run, the runs that invoked it and the runs that it repeats, if it excludes them; null: not known.';
comment on column queue.approval.form is 'JSON Schema of what approvers fill in.';

create table queue.approval_decision (
  approval_id bigint not null,
  decided_at  timestamptz not null,
  actor       text not null,
  decision    text not null,
  form_values jsonb,
  constraint approval_decision_pkey primary key (approval_id, actor),
  constraint decision_is_known check (decision in ('approved', 'rejected'))
);

comment on table queue.approval_decision is 'One row a person and request: what this person decided.';
comment on column queue.approval_decision.approval_id is 'The request.';
comment on column queue.approval_decision.decided_at is 'When the person decided.';
comment on column queue.approval_decision.actor is 'The person.';
comment on column queue.approval_decision.decision is 'approved or rejected.';
comment on column queue.approval_decision.form_values is 'The fields that the person filled in.';

create table queue.approval_token (
  approval_id  bigint not null,
  created_at   timestamptz not null,
  token_hash   bytea not null,
  actor        text not null,
  actor_groups text[],
  constraint approval_token_pkey primary key (token_hash)
);

create index approval_token_by_approval on queue.approval_token (approval_id);

comment on table queue.approval_token is 'One row a link by which one person decides one request.';
comment on column queue.approval_token.token_hash is 'SHA-256 of the token, which is stored nowhere.';
comment on column queue.approval_token.approval_id is 'The request.';
comment on column queue.approval_token.created_at is 'When it was created.';
comment on column queue.approval_token.actor is 'The person who decides by it.';
comment on column queue.approval_token.actor_groups is 'Groups of the person; null: none.';

create table queue.workflow_starter (
  run_id     bigint not null,
  started_by text not null,
  constraint workflow_starter_pkey primary key (run_id)
);

comment on table queue.workflow_starter is
  'The person who started a run, if the setting oxbow.actor named one, so that approvals can exclude this person.';
comment on column queue.workflow_starter.run_id is 'The run.';
comment on column queue.workflow_starter.started_by is 'The actor.';
