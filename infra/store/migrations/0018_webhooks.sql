-- migrate:up

-- Addresses that are told what happens in a tournament. The secret of a hook is not stored but its hash: it follows from
-- the key of the house. `seq` is the first line of the stream that it has not been told of; whoever is at work on a hook
-- has it until `leased_until`.
create table webhook (
  id uuid primary key,
  shard smallint not null,
  stream text not null,
  url text not null,
  kind text not null,
  language text not null,
  events text[] not null,
  digest bytea not null,
  fingerprint bytea not null,
  made_at bigint not null,
  seq bigint not null,
  leased_until bigint not null default 0,
  state text not null default 'on' check (state in ('on', 'off', 'over')),
  told_at bigint,
  status int,
  why text
);
create index webhook_of_stream on webhook (stream, made_at, id);
create index webhook_on on webhook (leased_until) where state = 'on';

-- Lines that a hook has to be told of again, since it did not take them.
create table webhook_retry (
  hook uuid not null references webhook on delete cascade,
  seq bigint not null,
  tries int not null,
  due_at bigint not null,
  primary key (hook, seq)
);

grant select, insert, update, delete on webhook, webhook_retry to truecup_dealer;
