create type queue.flow_limits as (
  concurrency     integer,
  key_concurrency integer,
  spacing         interval,
  burst           integer,
  key_spacing     interval,
  key_burst       integer,
  debounce        interval,
  debounce_limit  interval,
  key_path        text,
  priority_path   text
);

comment on type queue.flow_limits is
  'Flow control of a workflow, parsed from its settings. spacing: time between two runs at the allowed rate. burst: how many may begin at once after a pause. Null means no limit.';
