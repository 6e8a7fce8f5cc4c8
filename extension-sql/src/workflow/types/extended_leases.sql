create type queue.extended_leases as (
  held       bigint[],
  signalled  bigint[],
  paused     bigint[],
  cancelling bigint[],
  busy       bigint[]
);

comment on type queue.extended_leases is
  'Receipts that are alive, and those of them whose runs have a matching buffered signal, are paused, are cancelled with rollback, or are locked by another transaction.';
