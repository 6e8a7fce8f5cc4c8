-- Test runs of definitions, which lists and counts leave out.

alter table queue.workflow_run add column is_test boolean;

comment on column queue.workflow_run.is_test is 'True for a test run of a definition, otherwise null.';

-- Versions of test runs, each of one document and one set of pins. Published versions have lower numbers.
create sequence queue.definition_test_version as integer minvalue 1000000000 cache 1;

create table queue.definition_test_run (
  run_id     bigint not null,
  version    integer not null,
  name       text not null,
  hash       text not null,
  started_by text not null,
  options    jsonb not null,
  constraint definition_test_run_pkey primary key (version),
  constraint definition_test_run_id unique (run_id),
  constraint test_options_are_an_object check (jsonb_typeof(options) = 'object')
);

create index definition_test_run_name on queue.definition_test_run (name);

comment on table queue.definition_test_run is 'One row a test run of a definition, until the run is deleted.';
comment on column queue.definition_test_run.run_id is 'The run.';
comment on column queue.definition_test_run.version is 'Version of the run, by which its worker finds this row.';
comment on column queue.definition_test_run.name is 'Name of the definition.';
comment on column queue.definition_test_run.hash is 'Hash of the document, in queue.definition_snapshot.';
comment on column queue.definition_test_run.started_by is 'Author of the test.';
comment on column queue.definition_test_run.options is 'pins, until, only, item and effects, as given to definition_test().';
