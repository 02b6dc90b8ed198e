-- migrate:up

-- What people say about a match: a line of `commentary/<match>` names the words by their hash, with the 16 bytes that
-- were hashed before them. A row is written before the line that names it; without one it was left by a crash and harms
-- nobody. Whoever deletes a row erases what was said, and every proof stays whole.
create table comment_words (
  stream text not null,
  hash text not null,
  salt bytea not null check (octet_length(salt) = 16),
  body text not null,
  primary key (stream, hash)
);
-- Who may write about a match besides its hosts: players by their ids, and all of them once it is over.
create table comment_writers (
  stream text primary key,
  casters text[] not null,
  everybody boolean not null
);
grant select on comment_words, comment_writers to truecup_api, truecup_relay, truecup_dealer;
grant insert, delete on comment_words to truecup_dealer;
grant insert, update on comment_writers to truecup_dealer;
