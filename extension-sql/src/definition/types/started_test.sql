create type queue.started_test as (
  run_id  bigint,  -- not null
  version integer, -- not null
  hash    text     -- not null
);

comment on type queue.started_test is
  'The result of definition_test(). version: of the run; no other run has it. hash: of the document.';
