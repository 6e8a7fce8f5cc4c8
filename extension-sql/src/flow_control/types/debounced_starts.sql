create type queue.debounced_starts as (
  idempotency_keys text[],
  delay_seconds    numeric[],
  on_running       text[],
  on_ended         text[]
);

comment on type queue.debounced_starts is
  'Arguments of starts, as debouncing changes them: parallel arrays.';
