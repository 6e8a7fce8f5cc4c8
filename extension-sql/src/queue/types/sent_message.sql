create type queue.sent_message as (
  msg_id    bigint, -- not null
  duplicate boolean -- not null
);

comment on type queue.sent_message is
  'The outcome of one message of send_fifo_batch(). duplicate: it was not sent, since msg_id is an earlier message with its deduplication id.';
