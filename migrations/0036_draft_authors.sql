-- Authors of drafts: each author since the last version, because no author may publish a protected definition.

alter table queue.definition add column draft_authors text[] not null default '{}';

comment on column queue.definition.draft_authors is 'Authors of the draft since the last version was published, each once.';
comment on column queue.definition.draft_by is 'Author of the last save of the draft.';
comment on column queue.definition.is_protected is 'Whether the authors of the draft since the last version may not publish it.';
comment on column queue.audit.role_name is 'The role that logged in, which neither a setting nor SET ROLE can change.';
