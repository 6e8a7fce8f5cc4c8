-- Triggers that the clock and webhooks set off.

alter table queue.schedule
  add column definition_id bigint,
  add column trigger_name  text,
  add constraint schedule_has_its_definition foreign key (definition_id) references queue.definition,
  add constraint schedule_of_a_trigger_has_its_definition check ((definition_id is null) = (trigger_name is null));

create unique index schedule_of_trigger on queue.schedule (definition_id, trigger_name) where definition_id is not null;

comment on column queue.schedule.definition_id is
  'The definition whose trigger it sets off: its ticks are events rather than starts; null: it starts runs of its workflow.';
comment on column queue.schedule.trigger_name is 'The trigger; null as definition_id.';

create table queue.definition_hook (
  created_at    timestamptz not null,
  definition_id bigint not null,
  trigger_name  text not null,
  hook_id       text not null,
  constraint definition_hook_pkey primary key (hook_id),
  constraint definition_hook_of_trigger unique (definition_id, trigger_name),
  constraint definition_hook_has_its_definition foreign key (definition_id) references queue.definition
);

comment on table queue.definition_hook is
  'One row a webhook trigger, from its first publication until its definition is deleted, so that its address stays. Secrets are derived by servers, and not stored.';
comment on column queue.definition_hook.created_at is 'When it was published first.';
comment on column queue.definition_hook.definition_id is 'The definition.';
comment on column queue.definition_hook.trigger_name is 'The trigger.';
comment on column queue.definition_hook.hook_id is 'Its address: /v1/hooks/<hook_id>.';

create table queue.hook_delivery (
  received_at   timestamptz not null,
  event_id      bigint not null,
  hook_id       text not null,
  delivery_hash bytea not null,
  constraint hook_delivery_pkey primary key (hook_id, delivery_hash)
);

create index hook_delivery_age on queue.hook_delivery (received_at);

comment on table queue.hook_delivery is
  'One row a delivery to a webhook trigger that had an id, for 7 days, so that a second delivery is the same event.';
comment on column queue.hook_delivery.received_at is 'When it was received first.';
comment on column queue.hook_delivery.event_id is 'Its event.';
comment on column queue.hook_delivery.hook_id is 'The webhook.';
comment on column queue.hook_delivery.delivery_hash is 'SHA-256 of the id that the sender gave it.';
