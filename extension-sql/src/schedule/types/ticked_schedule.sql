create type queue.ticked_schedule as (
  outcome text,
  run_ids bigint[]
);

comment on type queue.ticked_schedule is
  'The result of schedule_tick(). outcome: ok or lost. run_ids: the run of each tick, null for a tick that started none.';
