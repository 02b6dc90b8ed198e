-- migrate:up

-- Shards may live on several databases, the primaries: one of them, the home, has what is of the house as a whole, and the
-- list of who has which shard. Whether a shard is here is said by its own row, which every append to it updates: one that
-- is closed has a position that it keeps, so whoever appends to a shard that has gone is refused, whatever he remembers.
alter table shard
  add column epoch bigint not null default 1,
  add column closed_at bigint,
  add constraint shard_open check (closed_at is null or closed_at = position);

create table shard_place (
  shard smallint primary key,
  lives_at text not null,
  epoch bigint not null
);
insert into shard_place (shard, lives_at, epoch) select shard, 'home', 1 from shard;
grant select on shard_place to truecup_api, truecup_relay, truecup_dealer;

-- Which primary this is, and of which house; of a house with one database it says nothing.
create table primary_self (
  one boolean primary key default true check (one),
  name text not null,
  house text not null
);
grant select on primary_self to truecup_api, truecup_relay, truecup_dealer;

-- Commands of several primaries that are stored together are prepared on all of them but one, whose commit decides. A row
-- that says no was written by somebody who waited for it too long: then it is never stored.
create table set_decision (
  gid text primary key,
  kept boolean not null
);
grant select, insert on set_decision to truecup_dealer;

-- What people are called is kept at home before the line that names them: the first name stays, and one that was erased
-- does not come back. Without a line it was left by a refusal or a crash.
create function keep_names(p_player text[], p_name text[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into person (player, name)
    select distinct on (player) player, name from unnest(p_player, p_name) as given (player, name)
    where not exists (select from erased_name e where e.player = given.player) order by player
    on conflict do nothing;
$$;
revoke all on function keep_names from public;
grant execute on function keep_names to truecup_dealer;

-- As before, but that a shard that is closed takes no line.
create or replace function append_access(p_shard smallint, p_stream text, p_expected bigint, p_line text[])
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_position bigint;
  v_closed_at bigint;
begin
  select s.position, s.closed_at into v_position, v_closed_at from shard s where s.shard = p_shard for no key update;
  if v_closed_at is not null then
    raise exception 'the shard is not here' using errcode = 'check_violation', constraint = 'shard_open';
  end if;
  if p_expected <> (select coalesce(max(a.seq) + 1, 0) from access_line a where a.stream = p_stream) then
    return false;
  end if;
  insert into access_line (stream, seq, body, hash)
    select p_stream, p_expected + n - 1, line, sha256(convert_to(line, 'UTF8'))
    from unnest(p_line) with ordinality as given (line, n) order by n;
  insert into log_outbox (stream, seq, kind, head, shard, position)
    select p_stream, p_expected + n - 1, 'final', encode(sha256(convert_to(line, 'UTF8')), 'hex'), p_shard, v_position
    from unnest(p_line) with ordinality as given (line, n)
    where line like '%"type":"access.closed","v":1}';
  return true;
end $$;
