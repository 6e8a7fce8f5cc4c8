create type queue.audit_actor as (
  kind    text, -- token | user | delegate | role
  name    text, -- not null
  token   text, -- may be null
  address text  -- may be null
);

comment on type queue.audit_actor is
  'An actor: how it is known, its name, the token that named it, and the address of its client.';
