-- Message and run ids that were given out and then lost with the tail of the log are not given out again.

-- An unlogged sequence keeps its state over a clean restart, and loses it through events that may lose committed transactions:
-- crash recovery, and the promotion of a standby.
create unlogged sequence queue.crash_marker as bigint;

comment on sequence queue.crash_marker is
  'Called once since the last crash recovery or promotion: then the ids of this database are ahead of those that were lost. See queue._skip_lost_ids().';

select setval('queue.crash_marker', 1);

create sequence queue.skipped_ids as bigint;

comment on sequence queue.skipped_ids is
  'How many ids each sequence of a queue has skipped in all; not called: none. A new queue begins after as many.';
