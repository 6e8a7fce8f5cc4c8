create type queue.incarnation_info as (
  incarnation_id uuid,        -- may be null
  parent_id      uuid,        -- may be null
  state          text,        -- live | sandbox | held | null
  origin         text,        -- may be null
  became_at      timestamptz, -- may be null
  copied_at      timestamptz, -- may be null
  guarded        boolean      -- may be null
);

comment on type queue.incarnation_info is
  'The identity of a database. state: live, sandbox or held. origin: how it came into that state. parent_id: the incarnation that it is a copy of. copied_at: up to when it has the history of its source, if known. guarded: whether a promotion holds it.';
