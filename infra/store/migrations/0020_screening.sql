-- migrate:up

-- What came of screening a tournament for collusion, for its officials alone: of the line `upto`, which closed a round.
-- It follows from the log, so whoever works it out finds the same; it may be deleted at any time.
create table screening (
  stream text primary key,
  upto bigint not null,
  body bytea not null
);
grant select, insert, update, delete on screening to truecup_dealer;
