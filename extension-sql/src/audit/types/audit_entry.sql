create type queue.audit_entry as (
  audit_id     bigint,      -- not null
  acted_at     timestamptz, -- not null
  actor_kind   text,        -- token | user | delegate | role
  actor        text,        -- not null
  token        text,        -- may be null
  role_name    text,        -- not null
  address      text,        -- may be null
  action       text,        -- not null
  subject_type text,        -- not null
  subject      text,        -- not null
  outcome      text,        -- changed | unchanged
  detail       jsonb        -- may be null
);

comment on type queue.audit_entry is
  'An entry of the audit: who (actor, known by a token, as a signed-in user, as a delegate named by a token, or as a role) did what (action) to what (subject), when, from where (address) and with which outcome.';
