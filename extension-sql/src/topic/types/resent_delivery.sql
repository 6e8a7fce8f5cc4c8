create type queue.resent_delivery as (
  delivery_id bigint, -- not null
  problem     text    -- may be null
);

comment on type queue.resent_delivery is
  'A delivery that deliveries_resend() was asked for. problem: why it is not sent again; null if it is.';
