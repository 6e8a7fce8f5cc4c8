create type queue.reference_owner as (
  owner_type text,    -- not null
  owner_id   text,    -- not null
  title      text,    -- may be null
  version    integer, -- may be null
  state      text,    -- draft | published | archived | current
  pointer    text,    -- not null
  protects   boolean  -- not null
);

comment on type queue.reference_owner is
  'A place at which an owner names a resource, as returned by references_to(). owner_type, owner_id: "definition" and its name, or as given to reference_set(). version: null for a draft and for an owner without versions. state: draft; published; archived, with runs in progress; current for an owner without versions. protects: whether the resource must not be deleted for its sake, which is false for drafts.';
