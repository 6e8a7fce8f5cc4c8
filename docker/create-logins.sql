-- Run after create-extension.sql: a login for servers and one for workers, where their passwords are given.
\getenv server_password OXBOW_SERVER_PASSWORD
\if :{?server_password}
create role oxbow_server login password :'server_password' in role oxbow_admin;
\endif
\getenv app_password OXBOW_APP_PASSWORD
\if :{?app_password}
create role oxbow_app login password :'app_password' in role oxbow_producer, oxbow_worker;
\endif
