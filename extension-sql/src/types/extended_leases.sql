create type queue.extended_leases as (
  held       bigint[],
  signalled  bigint[],
  paused     bigint[],
  cancelling bigint[]
);

comment on type queue.extended_leases is
  'Receipts that are alive, and those of them whose runs have a matching signal in store, are paused, or are to roll back.';
