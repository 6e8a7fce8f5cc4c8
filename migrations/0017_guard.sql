-- Whether a promotion, or a recovery from an archive, counts as a copy.

alter table queue.own_incarnation
  add column guarded_timeline integer;

comment on column queue.own_incarnation.guarded_timeline is
  'The timeline of the log on which this database is at home; on another one it is a copy. Null: timelines don''t matter, as where a standby takes over.';

-- One row needs no index: its name shows that the column exists.
create index own_incarnation_guarded on queue.own_incarnation (guarded_timeline)
  where guarded_timeline is not null;
