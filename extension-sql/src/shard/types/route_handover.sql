create type queue.route_handover as (
  last_run_id   bigint,  -- may be null
  newest_run_id bigint,  -- not null
  moved         integer, -- not null
  asked         integer, -- not null
  kept          integer, -- not null
  busy          integer, -- not null
  problem       text     -- may be null
);

comment on type queue.route_handover is
  'What a call of hand_over_route() has done. last_run_id: the last run that it looked at, null after all; newest_run_id: where it ends, the newest run there was, unless the call has given it; moved: runs of the route that have left, others of their families not counted; asked: runs in progress that wait for their workers; kept: runs that can''t move, the first because of problem; busy: runs that a transaction has locked.';
