-- migrate:up

-- What a player has put before a name that a line of a match commits to (CUP/1 section 4.14.1): whoever is shown the name
-- is shown it, and can check both. A row is written behind the line; a crash in between leaves it to the repeat.
create table name_salt (
  player text primary key,
  salt bytea not null check (octet_length(salt) = 32)
);
-- Whose names were erased, in order: programs remember names, and ask whether there was another one. So a number is
-- never seen before one below it.
create table erased_name (
  number bigint primary key,
  player text not null unique
);
grant select on name_salt, erased_name to truecup_api, truecup_relay, truecup_dealer;

-- Keep a salt, unless one is there, or the name was erased: a repeat brings nothing back.
create function keep_salt(p_player text, p_salt bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into name_salt (player, salt)
    select p_player, p_salt where exists (select from person where player = p_player) on conflict do nothing;
$$;

-- Erase what somebody is called, with its salt and the tournaments entered, and report whether there was a name. Bots of
-- the house are nobody, and have names of the house. Rows of the lobby that were written before this hold names of guests:
-- there the id comes in place of it, with the member that says so. A seat may be somebody else's by now, with another name.
create function erase_name(p_player text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_name text := (select name from person where player = p_player);
begin
  if p_player like 'bot/%' or v_name is null then
    return false;
  end if;
  lock table erased_name in share row exclusive mode;
  delete from player_entry where player = p_player;
  delete from name_salt where player = p_player;
  delete from person where player = p_player;
  if not found then
    return false;
  end if;
  update projection r set doc = convert_to((told.row || jsonb_build_object(
      'title', coalesce(told.row ->> 'name', p_player),
      'players', coalesce(told.row -> 'players', '{}') || jsonb_build_object(t.seat, p_player),
      'seats', (
        select jsonb_agg(
          case when (s ->> 'seat')::smallint = t.seat then s || jsonb_build_object('name', p_player) else s end order by n
        ) from jsonb_array_elements(told.row -> 'seats') with ordinality as given (s, n)
      )
    ))::text, 'UTF8')
    from token t, lateral (
      select convert_from(p.doc, 'UTF8')::jsonb as row from projection p where p.name = 'lobby' and p.key = substr(t.stream, 7)
    ) told
    where t.player = p_player and t.role = 'seat' and t.stream like 'match/%'
      and r.name = 'lobby' and r.key = substr(t.stream, 7)
      and told.row -> 'seats' @> jsonb_build_array(jsonb_build_object('seat', t.seat, 'name', v_name));
  insert into erased_name (number, player)
    select coalesce(max(number), 0) + 1, p_player from erased_name on conflict (player) do nothing;
  return true;
end $$;

create or replace function erase_player(p_player text) returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from player_entry where player = p_player;
  select erase_name(p_player) where exists (select from player where player = p_player);
$$;

revoke all on function keep_salt, erase_name from public;
grant execute on function keep_salt, erase_name to truecup_dealer;
