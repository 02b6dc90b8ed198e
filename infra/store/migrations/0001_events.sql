-- migrate:up

-- One counter row a shard, locked until commit: positions are dense and in commit order.
create table shard (
  shard smallint primary key,
  position bigint not null default 0
);
insert into shard (shard) select generate_series(0, 7);

create table stream (
  shard smallint not null,
  stream text not null,
  version bigint not null,
  ended boolean not null default false,
  primary key (shard, stream)
);
create index stream_live on stream (stream) where not ended;

-- The body is the truth; the document is for queries only.
create table event (
  shard smallint not null,
  position bigint not null,
  stream text not null,
  seq bigint not null,
  body text not null,
  hash bytea not null,
  doc jsonb generated always as (body::jsonb) stored,
  primary key (shard, stream, seq),
  unique (shard, position)
) partition by list (shard);
create table event_0 partition of event for values in (0);
create table event_1 partition of event for values in (1);
create table event_2 partition of event for values in (2);
create table event_3 partition of event for values in (3);
create table event_4 partition of event for values in (4);
create table event_5 partition of event for values in (5);
create table event_6 partition of event for values in (6);
create table event_7 partition of event for values in (7);

create function event_follows() returns trigger language plpgsql as $$
declare
  before bytea;
  document jsonb := new.body::jsonb;
begin
  new.hash := sha256(convert_to(new.body, 'UTF8'));
  if new.seq = 0 then
    before := decode(repeat('00', 32), 'hex');
  else
    select e.hash into before from event e where e.shard = new.shard and e.stream = new.stream and e.seq = new.seq - 1;
  end if;
  if before is null
    or document ->> 'prev' is distinct from encode(before, 'hex')
    or (document ->> 'seq')::bigint is distinct from new.seq
    or document ->> 'stream' is distinct from new.stream then
    raise exception 'the line does not follow the one before it' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger event_follows before insert on event for each row execute function event_follows();

create function event_is_for_ever() returns trigger language plpgsql as $$
begin
  raise exception 'events are never changed' using errcode = 'integrity_constraint_violation';
end $$;
create trigger event_is_for_ever before update or delete on event for each row execute function event_is_for_ever();
create trigger event_stays before truncate on event for each statement execute function event_is_for_ever();
do $$
begin
  for n in 0..7 loop
    execute format(
      'create trigger event_stays before truncate on event_%s for each statement execute function event_is_for_ever()', n
    );
  end loop;
end $$;

create table command (
  shard smallint not null,
  stream text not null,
  command bytea not null,
  fingerprint bytea not null,
  answer bytea not null,
  primary key (shard, stream, command)
);

create table person (
  player text primary key,
  name text not null
);

create table token (
  digest bytea primary key,
  stream text not null,
  role text not null,
  seat smallint
);

create schema vault;
create table vault.secret (
  stream text not null,
  name text not null,
  wrapped bytea not null,
  primary key (stream, name)
);

-- The transparency log: what waits for it, what it holds, the tree over it, the heads it has signed.
create table log_outbox (
  stream text not null,
  seq bigint not null,
  kind text not null,
  head text not null,
  shard smallint not null,
  position bigint not null,
  primary key (stream, seq, kind)
);
create table log_state (
  one boolean primary key default true check (one),
  size bigint not null default 0
);
insert into log_state default values;
create table log_entry (
  index bigint primary key,
  stream text not null,
  seq bigint not null,
  kind text not null,
  entry bytea not null,
  unique (stream, seq, kind)
);
create table log_hash (
  level smallint not null,
  index bigint not null,
  hash bytea not null,
  primary key (level, index)
);
create table log_checkpoint (
  size bigint primary key,
  note text not null
);

-- What can be made again from the log.
create table projection_cursor (
  name text not null,
  shard smallint not null,
  position bigint not null,
  primary key (name, shard)
);
create table projection (
  name text not null,
  key text not null,
  version bigint not null,
  doc bytea not null,
  primary key (name, key)
);
create table heartbeat (
  one boolean primary key default true check (one),
  at bigint not null
);

-- One call, one commit, many commands of one shard. Outcomes: 0 appended, 1 conflict, 2 repeated, 3 key reused.
-- The arrays of lines, secrets, anchors, people and tokens say by number, from 1, whose command they belong to.
create function append_batch(
  p_shard smallint,
  p_stream text[], p_expected bigint[], p_command bytea[], p_fingerprint bytea[], p_answer bytea[],
  p_line_of int[], p_line text[],
  p_secret_of int[], p_secret_name text[], p_secret bytea[],
  p_anchor_of int[], p_anchor_seq bigint[], p_anchor_head text[], p_anchor_kind text[],
  p_person_of int[], p_player text[], p_name text[],
  p_token_of int[], p_digest bytea[], p_role text[], p_seat smallint[]
) returns table (outcome smallint, version bigint, reached bigint, answer bytea)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_position bigint;
  v_version bigint;
  v_fingerprint bytea;
  v_answer bytea;
  v_added int;
  v_ended boolean;
  v_taken int[] := '{}';
begin
  select s.position into v_position from shard s where s.shard = p_shard for no key update;
  for i in 1 .. cardinality(p_stream) loop
    select c.fingerprint, c.answer into v_fingerprint, v_answer
      from command c where c.shard = p_shard and c.stream = p_stream[i] and c.command = p_command[i];
    if found then
      outcome := case when v_fingerprint = p_fingerprint[i] then 2 else 3 end;
      version := null; reached := v_position; answer := v_answer;
      return next;
      continue;
    end if;
    select s.version into v_version from stream s where s.shard = p_shard and s.stream = p_stream[i];
    v_version := coalesce(v_version, 0);
    if v_version <> p_expected[i] then
      outcome := 1; version := v_version; reached := v_position; answer := null;
      return next;
      continue;
    end if;
    insert into event (shard, position, stream, seq, body)
      select p_shard, v_position + l.n, p_stream[i], v_version + l.n - 1, l.line
      from (
        select line, row_number() over (order by ord) as n
        from unnest(p_line_of, p_line) with ordinality as given (line_of, line, ord)
        where line_of = i
      ) l order by l.n;
    get diagnostics v_added = row_count;
    v_position := v_position + v_added;
    v_ended := exists (
      select 1 from unnest(p_line_of, p_line) as given (line_of, line)
      where line_of = i and line like '%"type":"match.ended","v":1}'
    );
    insert into stream (shard, stream, version, ended) values (p_shard, p_stream[i], v_version + v_added, v_ended)
      on conflict (shard, stream) do update set version = excluded.version, ended = excluded.ended;
    insert into command (shard, stream, command, fingerprint, answer)
      values (p_shard, p_stream[i], p_command[i], p_fingerprint[i], p_answer[i]);
    v_taken := v_taken || i;
    outcome := 0; version := v_version + v_added; reached := v_position; answer := null;
    return next;
  end loop;
  insert into vault.secret (stream, name, wrapped)
    select p_stream[n], name, wrapped from unnest(p_secret_of, p_secret_name, p_secret) as given (n, name, wrapped)
    where n = any (v_taken);
  insert into log_outbox (stream, seq, kind, head, shard, position)
    select p_stream[n], seq, kind, head, p_shard, v_position
    from unnest(p_anchor_of, p_anchor_seq, p_anchor_head, p_anchor_kind) as given (n, seq, head, kind)
    where n = any (v_taken);
  insert into person (player, name)
    select player, name from unnest(p_person_of, p_player, p_name) as given (n, player, name) where n = any (v_taken)
    on conflict (player) do update set name = excluded.name;
  insert into token (digest, stream, role, seat)
    select digest, p_stream[n], role, seat from unnest(p_token_of, p_digest, p_role, p_seat) as given (n, digest, role, seat)
    where n = any (v_taken);
  update shard set position = v_position where shard.shard = p_shard;
end $$;

-- Two roles: only the dealer may read the vault; neither may write an event but through append_batch.
do $$
begin
  if not exists (select from pg_roles where rolname = 'truecup_api') then
    create role truecup_api nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'truecup_dealer') then
    create role truecup_dealer nologin;
  end if;
exception
  when duplicate_object or unique_violation then
    null;
  when insufficient_privilege then
    raise exception 'this database user may not create roles: create truecup_api and truecup_dealer (nologin) for it first';
end $$;
grant truecup_api, truecup_dealer to current_user;
grant usage on schema public to truecup_api, truecup_dealer;
grant select on all tables in schema public to truecup_api, truecup_dealer;
grant insert, update on projection, projection_cursor, heartbeat to truecup_api, truecup_dealer;
grant insert, update, delete on log_outbox, log_state, log_entry, log_hash, log_checkpoint to truecup_dealer;
revoke all on function append_batch from public;
grant execute on function append_batch to truecup_api, truecup_dealer;
grant usage on schema vault to truecup_dealer;
grant select on vault.secret to truecup_dealer;
