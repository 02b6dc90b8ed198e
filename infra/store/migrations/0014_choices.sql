-- migrate:up

-- What a host chooses beside the rules of a match: members that are left out have their usual value, so that one to come
-- needs no column of its own.
alter table card add column choices jsonb not null default '{}';
