-- migrate:up

-- The policies there ever were, and beside each tree head the one that it had to meet: a record is judged by the policy
-- of its time. A head may be published again under a later policy: the same size and root, signed by others. What was
-- published before is of the first, which is written down by the program that knows the key of its log.
create table log_policy (
  number bigint primary key,
  text text not null
);
alter table log_checkpoint add column policy bigint not null default 1;
alter table log_checkpoint alter column policy drop default;
alter table log_checkpoint drop constraint log_checkpoint_pkey, add primary key (size, policy);

-- How far streams have their `live` anchors: a row for each shard, so that whoever writes some can take it for himself.
insert into projection_cursor (name, shard, position) select 'live', shard, position from shard;

grant select on log_policy to truecup_api, truecup_dealer;
grant insert on log_policy to truecup_dealer;
