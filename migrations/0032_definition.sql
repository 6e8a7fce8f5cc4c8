-- Definitions: workflows as data, each with one draft and its published versions.

create table queue.definition (
  definition_id     bigint generated always as identity,
  created_at        timestamptz not null,
  drafted_at        timestamptz not null,
  paused_at         timestamptz,
  archived_at       timestamptz,
  revision          integer not null,
  published_version integer,
  is_protected      boolean not null,
  name              text not null,
  title             text,
  folder            text,
  pool              text not null,
  draft_by          text not null,
  draft_hash        text not null,
  pause_reason      text,
  state             text not null generated always as (
    case
      when archived_at is not null then 'archived'
      when published_version is null then 'draft'
      when paused_at is not null then 'paused'
      else 'published'
    end
  ) stored,
  scope             jsonb,
  draft             jsonb not null,
  constraint definition_pkey primary key (definition_id),
  constraint definition_name unique (name),
  constraint revision_is_positive check (revision >= 1),
  constraint archived_definition_has_no_published_version check (archived_at is null or published_version is null),
  constraint draft_is_an_object check (jsonb_typeof(draft) = 'object'),
  constraint scope_is_an_object check (jsonb_typeof(scope) = 'object')
);

comment on table queue.definition is
  'One row a definition, from definition_create() to definition_delete(), with its draft.';
comment on column queue.definition.definition_id is 'Identity of the definition.';
comment on column queue.definition.created_at is 'When it was created.';
comment on column queue.definition.drafted_at is 'When the draft was saved last.';
comment on column queue.definition.paused_at is 'Since when it starts no runs; null: it is not paused.';
comment on column queue.definition.archived_at is 'When it was archived; null: it is not.';
comment on column queue.definition.revision is 'Number of the draft: a save names the revision that it replaces.';
comment on column queue.definition.published_version is 'The version that starts take; null: none is published.';
comment on column queue.definition.is_protected is 'Whether the author of a draft may not publish it.';
comment on column queue.definition.name is 'Its name, which is that of the workflow.';
comment on column queue.definition.title is 'Title in the draft.';
comment on column queue.definition.folder is 'Folder that lists show it in; null: none.';
comment on column queue.definition.pool is 'Workers that run the published version.';
comment on column queue.definition.draft_by is 'Author of the draft.';
comment on column queue.definition.draft_hash is 'Hash of the draft, by which it is compared with a version.';
comment on column queue.definition.pause_reason is 'Why it is paused, as given to definition_pause().';
comment on column queue.definition.state is 'archived, draft (never published), paused or published.';
comment on column queue.definition.scope is
  'Members that the events which start its runs must contain, kept apart from the document, which others may edit.';
comment on column queue.definition.draft is 'The document under construction.';

create table queue.definition_version (
  definition_id bigint not null,
  published_at  timestamptz not null,
  version       integer not null,
  state         text not null,
  hash          text not null,
  published_by  text not null,
  note          text,
  document      jsonb not null,
  compiled      jsonb,
  constraint definition_version_pkey primary key (definition_id, version),
  constraint definition_version_has_its_definition foreign key (definition_id) references queue.definition,
  constraint definition_version_is_positive check (version >= 1),
  constraint definition_version_state_is_known check (state in ('published', 'archived'))
);

create unique index definition_version_published on queue.definition_version (definition_id)
  where state = 'published';

comment on table queue.definition_version is
  'One row a published version of a definition. Nothing but its state changes, and it stays with the definition, since runs are pinned to it.';
comment on column queue.definition_version.definition_id is 'The definition.';
comment on column queue.definition_version.published_at is 'When it was published.';
comment on column queue.definition_version.version is 'Number of the version, from 1; the version of its runs.';
comment on column queue.definition_version.state is 'published, or archived since another version was published or the definition was archived.';
comment on column queue.definition_version.hash is 'Hash of the document.';
comment on column queue.definition_version.published_by is 'Author of the publication.';
comment on column queue.definition_version.note is 'Note on the change, as given to definition_publish().';
comment on column queue.definition_version.document is 'The document.';
comment on column queue.definition_version.compiled is 'References, triggers and defaults of runs, as the checker derived them from the document; null: it was not asked.';

create table queue.definition_layout (
  definition_id bigint not null,
  moved_at      timestamptz not null,
  version       integer not null,
  layout        jsonb not null,
  constraint definition_layout_pkey primary key (definition_id, version),
  constraint definition_layout_has_its_definition foreign key (definition_id) references queue.definition,
  constraint layout_is_an_object check (jsonb_typeof(layout) = 'object')
);

comment on table queue.definition_layout is
  'Positions of nodes on a canvas, apart from documents: moving a node changes neither revision nor version.';
comment on column queue.definition_layout.definition_id is 'The definition.';
comment on column queue.definition_layout.moved_at is 'When it was changed.';
comment on column queue.definition_layout.version is 'The version that it shows; 0: the draft.';
comment on column queue.definition_layout.layout is 'The positions, and notes.';

-- Documents of test runs have no number, since they are no versions of anything.
create table queue.definition_snapshot (
  expires_at timestamptz not null,
  hash       text not null,
  document   jsonb not null,
  constraint definition_snapshot_pkey primary key (hash)
);

create index definition_snapshot_expiry on queue.definition_snapshot (expires_at);

comment on table queue.definition_snapshot is 'Documents of test runs, each stored once, until they expire.';
comment on column queue.definition_snapshot.expires_at is 'From when on the sweeper may delete it.';
comment on column queue.definition_snapshot.hash is 'Hash of the document.';
comment on column queue.definition_snapshot.document is 'The document.';

create table queue.definition_setting (
  epoch           bigint not null,
  is_the_only_one boolean not null default true,
  constraint definition_setting_pkey primary key (is_the_only_one),
  constraint definition_setting_is_the_only_one check (is_the_only_one)
);

comment on table queue.definition_setting is
  'One row: what holds for all definitions.';
comment on column queue.definition_setting.epoch is 'It rises with each change to what is published, paused or archived, so that workers know that their copy is out of date.';
comment on column queue.definition_setting.is_the_only_one is 'There is one row.';

insert into queue.definition_setting (epoch) values (0);
