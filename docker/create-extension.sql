-- Run once, in the database of POSTGRES_DB, when the volume is new.
create extension oxbow;
select queue.migrate();
