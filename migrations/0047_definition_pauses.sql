-- Whether any definition pauses after failures, which each failed run asks, without reading their drafts.

create index definition_pausing on queue.definition (name) where pause_after_failures is not null;
