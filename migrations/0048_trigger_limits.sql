-- What bounds triggers on the ends of runs, and how events that had trouble are found.

alter table queue.triggered_run add column ends integer not null default 0;

comment on column queue.triggered_run.ends is
  'How many ends of runs are among the events that led to it: triggers on all ends don''t match its own if there is one.';

create index trigger_event_trouble on queue.trigger_event (state, event_id) where state <> 'evaluated';

-- Events that wait in the queue of another pool go along when a definition moves.
alter table queue.definition_trigger add column pool text;

comment on column queue.definition_trigger.pool is 'Workers to whose queue its events go.';

update queue.definition_trigger as t
set pool = d.pool
from queue.definition as d
where d.definition_id = t.definition_id;

alter table queue.definition_trigger alter column pool set not null;

-- Topics that begin alike are next to each other.
alter table queue.trigger_event alter column topic type text collate "C";
