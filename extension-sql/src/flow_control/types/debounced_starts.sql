create type queue.debounced_starts as (
  idempotency_keys text[],    -- may be null
  delay_seconds    numeric[], -- not null
  on_running       text[],    -- not null
  on_ended         text[]     -- not null
);

comment on type queue.debounced_starts is
  'Arguments of starts, as debouncing changes them: parallel arrays.';
