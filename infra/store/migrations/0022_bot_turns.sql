-- migrate:up

-- How seats of the house were played: by which level a turn was taken at a version of a match, and by which release.
-- Nothing of it is secret, nor hangs on a die; the chance of a turn follows from the secret of its deal.
create table bot_turn (
  stream text not null,
  version bigint not null,
  level text not null,
  program text not null,
  primary key (stream, version)
);
grant select on bot_turn to truecup_api, truecup_relay, truecup_dealer;
grant insert on bot_turn to truecup_dealer;
