-- Retries of parents whose children are in other shards.

alter table queue.workflow_run add column parent_rewound integer;

comment on column queue.workflow_run.parent_rewound is
  'How often the parent had been retried, as its rewound counts, when it last invoked the run, if that is in another shard; null: it is not, or its release did not send that.';
