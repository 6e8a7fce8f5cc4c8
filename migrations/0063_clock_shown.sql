-- The latest time that the clock has shown, by which a clock that was set back is noticed.

create sequence queue.clock_shown as bigint;

comment on sequence queue.clock_shown is
  'The latest time that the database''s clock is known to have shown, in milliseconds since 1970; at most a second older than the last time that was written. A sequence, since others see it at once, and it stays if the transaction is rolled back.';

select setval('queue.clock_shown', 1);
