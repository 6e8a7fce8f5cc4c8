create type queue.ticked_schedule as (
  outcome text,    -- ok | lost
  run_ids bigint[] -- may be null
);

comment on type queue.ticked_schedule is
  'The result of schedule_tick(). outcome: ok or lost. run_ids: the run of each tick, null for a tick that started no run.';
