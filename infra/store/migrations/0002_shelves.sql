-- migrate:up

-- Rows are read a page at a time, the latest first. Those of before say nothing of it, and are made again from the log.
alter table projection add column shelf text not null default '', add column at bigint not null default 0;
create index projection_shelf on projection (name, shelf, at desc, key desc);
delete from projection;
delete from projection_cursor where name = 'lobby';
