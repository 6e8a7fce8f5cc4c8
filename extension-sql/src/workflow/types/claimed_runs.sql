create type queue.claimed_runs as (
  run_ids       bigint[],  -- may be null
  receipts      bigint[],  -- may be null
  attempts      integer[], -- may be null
  continuations jsonb[],   -- may be null
  is_fresh      boolean[], -- may be null
  must_end      bigint[],  -- may be null
  limited       integer[], -- may be null
  sizes         bigint[]   -- may be null
);

comment on type queue.claimed_runs is
  'Continuations leased by one statement, as parallel arrays. is_fresh: never leased before, so without a journal. must_end: runs that must not be delivered. limited: queues of workflows that have flow control. sizes: bytes of the inputs.';
