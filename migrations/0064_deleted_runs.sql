-- Deletion of runs by hand: indexes by which a run finds what is kept longer than the run.

create index definition_once_run on queue.definition_once (run_id) where run_id is not null;
create index captured_delivery_run on queue.captured_delivery (run_id) where run_id is not null;
