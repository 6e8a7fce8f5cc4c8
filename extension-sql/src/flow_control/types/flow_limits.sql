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
  'Flow control of a workflow, read from its settings. spacing: the time that each run has for itself at the rate that is allowed; burst: how many may begin at once after a silence. What is null is not limited.';
