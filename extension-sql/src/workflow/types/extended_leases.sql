create type queue.extended_leases as (
  held       bigint[], -- not null
  signalled  bigint[], -- not null
  paused     bigint[], -- not null
  cancelling bigint[], -- not null
  busy       bigint[]  -- may be null
);

comment on type queue.extended_leases is
  'Receipts that are alive, and those of them whose runs have a matching buffered signal, are paused, are cancelled with rollback, or are locked by another transaction.';
