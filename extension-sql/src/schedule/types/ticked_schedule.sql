create type queue.ticked_schedule as (
  outcome text,
  run_ids bigint[]
);

comment on type queue.ticked_schedule is
  'Answer to schedule_tick(): ok or lost, and the run of each tick, null for one that started none.';
