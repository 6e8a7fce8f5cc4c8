create type queue.extended_leases as (
  held      bigint[],
  signalled bigint[],
  paused    bigint[]
);

comment on type queue.extended_leases is
  'Receipts that are alive, and those of them whose runs have a matching signal in store, or are paused.';
