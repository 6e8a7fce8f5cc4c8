-- Runs that ticks wait for although another one was triggered by hand.

alter table queue.schedule add column earlier_run_id bigint;

comment on column queue.schedule.earlier_run_id is 'A run of the schedule that was running when last_run_id was triggered by hand; null if none was. A tick that overlap may skip waits for its end, too.';
