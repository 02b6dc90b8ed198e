-- migrate:up

-- What is known of a table beside the log: what people call it, and whether everybody is told of it. A card is written
-- before the first line of its table, by the dealer, and then stays; one without a table was left by a crash and harms
-- nobody. A table that is listed and has no name has none. A name is erased with `update card set name = null`, as that
-- of a person is: whether a table is listed stays, since what has been counted of it does.
create table card (
  stream text primary key,
  name text,
  listed boolean not null default true
);

grant select on card to truecup_api, truecup_relay, truecup_dealer;
grant insert on card to truecup_dealer;
