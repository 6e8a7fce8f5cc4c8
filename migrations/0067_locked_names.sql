-- Locks by name: rows, which only functions of Oxbow can lock.

create table queue.locked_name (
  name text not null,
  constraint locked_name_pkey primary key (name)
);
comment on table queue.locked_name is
  'Names that a transaction has locked. Each row is deleted by the transaction that has written it, so others see none.';
comment on column queue.locked_name.name is 'What is locked: publish, depths, create:<queue> or subscribe:<pattern>.';
