-- migrate:up

-- What each role may, from nothing: everything that was granted before is taken back, and what stands here is all there
-- is. A program runs with the role of the most that it does, so the dealer's may do the relay's work, too.
do $$
begin
  if not exists (select from pg_roles where rolname = 'truecup_relay') then
    create role truecup_relay nologin;
  end if;
exception
  when duplicate_object or unique_violation then
    null;
  when insufficient_privilege then
    raise exception 'this database user may not create roles: create truecup_relay (nologin) for it first';
end $$;
grant truecup_relay to current_user;

revoke all on all tables in schema public from truecup_api, truecup_relay, truecup_dealer;
revoke all on all tables in schema vault from truecup_api, truecup_relay, truecup_dealer;
revoke all on schema public, vault from truecup_api, truecup_relay, truecup_dealer;
revoke all on function append_batch, append_batch_seen, append_access, rewrap_secrets
  from truecup_api, truecup_relay, truecup_dealer;

-- What everybody may without a word said. Nobody calls a trigger, and clusters of before Postgres 15 let everybody make
-- tables and functions in `public`, where the functions that run with their owner's rights look for theirs.
revoke all on function event_follows, event_is_for_ever, access_follows from public;
revoke create on schema public from public;

-- Whatever is public: the log, who saw what, names, the transparency log, the rows made from them. A program that shows
-- matches needs no more; tokens and stored answers are the dealer's.
grant usage on schema public to truecup_api, truecup_relay, truecup_dealer;
grant select on
  schema_migrations, shard, event, access_line, person, projection,
  log_state, log_entry, log_hash, log_checkpoint, log_policy
  to truecup_api, truecup_relay, truecup_dealer;

-- The relay makes frames for seats, so it opens deals, and puts on record what it serves; it writes what can be made
-- again from the log.
grant select, insert, update on projection_cursor to truecup_relay, truecup_dealer;
grant insert, update on projection to truecup_relay, truecup_dealer;
grant usage on schema vault to truecup_relay, truecup_dealer;
grant select on vault.secret to truecup_relay, truecup_dealer;
grant execute on function append_access to truecup_relay, truecup_dealer;

-- The dealer takes commands, knows tokens, and keeps the transparency log, which only grows.
grant select on stream, command, token to truecup_dealer;
grant select, insert, update on heartbeat to truecup_dealer;
grant select, insert, delete on log_outbox to truecup_dealer;
grant update on log_state to truecup_dealer;
grant insert on log_entry, log_hash, log_checkpoint, log_policy to truecup_dealer;
grant execute on function append_batch, append_batch_seen, rewrap_secrets to truecup_dealer;
