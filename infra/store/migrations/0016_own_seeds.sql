-- migrate:up

-- Who enters a tournament to draw the seeds of their own seats, which no line of it says. A row is written before the line
-- that enters them; without one it was left by a refusal or a crash and harms nobody.
create table own_seeds (
  stream text not null,
  player text not null,
  primary key (stream, player)
);
grant select, insert on own_seeds to truecup_dealer;
