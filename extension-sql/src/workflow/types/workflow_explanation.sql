create type queue.workflow_explanation as (
  run_id  bigint,      -- not null
  cause   text,        -- ended | held | paused | pausing | executing | suspect | no_worker | ready | delayed | key_limit | key_rate | concurrency_limit | rate_limit | step_retry | run_retry | approval | event | child | sleep
  summary text,        -- not null
  remedy  text,        -- not null
  since   timestamptz, -- may be null
  until   timestamptz, -- may be null
  details jsonb        -- may be null
);

comment on type queue.workflow_explanation is
  'Why a run does not advance. summary, remedy: sentences for people. since: when the cause began, if known. until: when the run advances without intervention, if known. details: the facts of the cause, by name.';
