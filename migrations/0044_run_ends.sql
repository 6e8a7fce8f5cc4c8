-- Definitions that pause after runs that failed in a row, and subscriptions that their triggers no longer use.

alter table queue.definition add column pause_after_failures integer;

comment on column queue.definition.pause_after_failures is
  'After how many failed runs in a row it is paused, as the settings of the published version say; null: never.';

create index subscription_unused on queue.subscription (subscription_id)
  where target_type = 'definition' and options ? 'unused_since';
