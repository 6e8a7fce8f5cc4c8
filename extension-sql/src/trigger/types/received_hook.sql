create type queue.received_hook as (
  event_id bigint, -- not null
  is_new   boolean -- not null
);

comment on type queue.received_hook is
  'The event of a delivery, as returned by trigger_hook_receive(). is_new: false for a second delivery.';
