create type queue.incarnation_info as (
  incarnation_id uuid,
  parent_id      uuid,
  state          text,
  origin         text,
  became_at      timestamptz,
  copied_at      timestamptz,
  guarded        boolean
);

comment on type queue.incarnation_info is
  'Who a database is. state is live, sandbox or held; origin says how it came into that state; parent_id is the incarnation that it is a copy of; copied_at is up to when it has the history of its source, where that was said; guarded says whether a promotion holds it.';
