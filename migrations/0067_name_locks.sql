-- Locks by name: rows, which only functions of Oxbow can lock.

create table queue.name_lock (
  bucket smallint not null,
  constraint name_lock_pkey primary key (bucket)
);
comment on table queue.name_lock is
  'Locks of names such as publish or create:<queue>, by the hash of the name. The rows never change: a transaction that has locked one holds the names of its bucket.';
comment on column queue.name_lock.bucket is 'The hash of a name, modulo 1,024.';

insert into queue.name_lock (bucket)
select n from generate_series(0, 1023) as n;
