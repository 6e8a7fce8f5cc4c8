create type queue.approval_recipient as (
  approval_id  bigint, -- not null
  actor        text,   -- not null
  actor_groups text[]  -- may be null
);

comment on type queue.approval_recipient is
  'The person whom a link lets decide a request for approval.';
