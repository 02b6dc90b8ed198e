-- migrate:up

-- People who are known beyond one tournament, by an opaque id; what they are called is in `person`, and can be erased.
create table player (
  player text primary key,
  fingerprint bytea not null
);
-- Their tokens, by hash. One that was renewed says what came after it, so that whoever repeats the request gets the same.
create table player_token (
  digest bytea primary key,
  player text not null,
  renewed bytea
);
-- Which tournaments they have entered, so that their page can list them. A row is written before the line that enters
-- them; without one it was left by a refusal or a crash. It is erased with the name.
create table player_entry (
  player text not null,
  stream text not null,
  primary key (player, stream)
);
grant select on player, player_entry to truecup_api, truecup_relay, truecup_dealer;
grant select on player_token to truecup_dealer;
grant insert on player_entry to truecup_dealer;

-- Make a player known once, and return the request that did it: a repeat changes nothing, and brings no erased name back.
create function keep_player(p_player text, p_fingerprint bytea, p_name text, p_digest bytea) returns bytea
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into player (player, fingerprint) values (p_player, p_fingerprint) on conflict do nothing;
  if found then
    insert into person (player, name) values (p_player, p_name);
    insert into player_token (digest, player) values (p_digest, p_player);
  end if;
  return (select fingerprint from player where player = p_player);
end $$;

-- Let another token follow one that counts, and return whose it is; null if it had been followed by another already.
create function renew_player_token(p_digest bytea, p_renewed bytea) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update player_token set renewed = p_renewed where digest = p_digest and renewed is null;
  if found then
    insert into player_token (digest, player) select p_renewed, player from player_token where digest = p_digest;
  end if;
  return (select player from player_token where digest = p_digest and renewed = p_renewed);
end $$;

create function erase_player(p_player text) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from player_entry where player = p_player;
  delete from person where player = p_player and exists (select from player where player = p_player);
$$;

revoke all on function keep_player, renew_player_token, erase_player from public;
grant execute on function keep_player, renew_player_token, erase_player to truecup_dealer;
