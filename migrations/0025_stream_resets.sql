-- Which delivery wrote a chunk of a stream, so that a repeated call replaces an interrupted one.

alter table queue.workflow_stream_chunk
  add column receipt bigint,
  add column since bigint;

comment on column queue.workflow_stream_chunk.attempt is
  'Number of the call of the step, from 1; for the body, how many rows of the journal it had seen.';
comment on column queue.workflow_stream_chunk.number is
  'Number of the chunk within its call, from 1, so that a replay writes none twice; 0 and less for a reset.';
comment on column queue.workflow_stream_chunk.receipt is
  'Receipt of the delivery that wrote the chunk. All chunks of one call of a step have the same.';
comment on column queue.workflow_stream_chunk.since is
  'Of a reset, which is no chunk: the first position at which chunks of the step were deleted; null for a chunk.';

-- Few rows; its name shows that the columns exist.
create index workflow_stream_reset on queue.workflow_stream_chunk (run_id, position)
  where since is not null;
