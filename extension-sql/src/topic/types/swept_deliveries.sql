create type queue.swept_deliveries as (
  swept integer, -- not null
  until bigint   -- may be null
);

comment on type queue.swept_deliveries is
  'What a call of deliveries_sweep() has done. swept: how many deliveries it deleted. until: where the next call continues; null if nothing behind has expired.';
