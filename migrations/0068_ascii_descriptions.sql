-- Descriptions in ASCII: an extension's script is converted to the encoding of the database before it can say that Oxbow
-- needs UTF8.

comment on column queue.workflow_run.trace is
  'Headers of the trace of the start, as text by name: {"traceparent": ...}; null if there was none.';
