-- migrate:up

-- A tree head may be published again under a later policy: the same size and root, signed by others. So what says
-- whom a note had to convince stands beside it.
create table log_policy (
  number bigint primary key,
  size bigint not null,
  text text not null
);
alter table log_checkpoint add column policy bigint not null default 1;
alter table log_checkpoint alter column policy drop default;
alter table log_checkpoint drop constraint log_checkpoint_pkey, add primary key (size, policy);

-- How far streams have their `live` anchors: a row for each shard, so that whoever writes some can take it for himself.
insert into projection_cursor (name, shard, position) select 'live', shard, position from shard;

grant select on log_policy to truecup_api, truecup_dealer;
grant insert on log_policy to truecup_dealer;
