create type queue.claimed_runs as (
  run_ids       bigint[],
  receipts      bigint[],
  attempts      integer[],
  continuations jsonb[],
  is_fresh      boolean[],
  must_end      bigint[],
  limited       integer[],
  sizes         bigint[]
);

comment on type queue.claimed_runs is
  'Continuations leased by one statement, as parallel arrays. is_fresh: never leased before, so without a journal. must_end: runs that must not be delivered. limited: queues of workflows that have flow control. sizes: bytes of the inputs.';
