-- Which declarations of trigger types are in use.

alter table queue.trigger_type add column last_seen_at timestamptz;

comment on column queue.trigger_type.last_seen_at is
  'When a worker reported this declaration last; up to 15 minutes less than the truth. Null: before reports.';
