create table if not exists users (
  id uuid primary key,
  email text not null unique,
  status text not null default 'waiting',
  run_id text not null
);
