create type queue.flow_limits as (
  concurrency     integer,  -- may be null
  key_concurrency integer,  -- may be null
  spacing         interval, -- may be null
  burst           integer,  -- may be null
  key_spacing     interval, -- may be null
  key_burst       integer,  -- may be null
  debounce        interval, -- may be null
  debounce_limit  interval, -- may be null
  key_path        text,     -- may be null
  priority_path   text      -- may be null
);

comment on type queue.flow_limits is
  'Flow control of a workflow, parsed from its settings. spacing: time between two runs at the allowed rate. burst: how many may begin at once after a pause. Null means no limit.';
