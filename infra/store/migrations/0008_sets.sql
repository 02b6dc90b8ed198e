-- migrate:up

-- A document beside every line was written with it and read by nobody: `body::jsonb` is there for whoever asks. The column
-- goes at once, without a rewrite; rows of before keep its bytes until their partition is written anew (`vacuum full`).
alter table event drop column doc;

-- Whether lines follow the ones before them is looked at once a statement, for all its lines, whoever wrote them and
-- through whichever table. Their hashes come with them and are held against their bytes.
drop trigger event_follows on event;
create or replace function event_follows() returns trigger language plpgsql as $$
declare
  v_shard smallint;
begin
  for v_shard in select distinct a.shard from added a loop
    if exists (
      select from (
        select a.stream, a.seq, a.hash, a.body, a.body::jsonb as document,
          lag(a.seq) over chained as seq_before, lag(a.hash) over chained as hash_before
        from added a where a.shard = v_shard window chained as (partition by a.stream order by a.seq)
      ) l
      left join lateral (
        select e.hash from public.event e
        where e.shard = v_shard and e.stream = l.stream and e.seq = l.seq - 1 and l.seq_before is distinct from l.seq - 1
        limit 1
      ) stored on true
      where (
        l.document ->> 'prev' = encode(
          case
            when l.seq = 0 then decode(repeat('00', 32), 'hex')
            when l.seq_before = l.seq - 1 then l.hash_before
            else stored.hash
          end, 'hex')
        and (l.document ->> 'seq')::bigint = l.seq
        and l.document ->> 'stream' = l.stream
        and l.hash = sha256(convert_to(l.body, 'UTF8'))
      ) is not true
    ) then
      raise exception 'the line does not follow the one before it' using errcode = 'integrity_constraint_violation';
    end if;
  end loop;
  return null;
end $$;
create trigger event_follows after insert on event referencing new table as added
  for each statement execute function event_follows();
-- A statement that names a partition fires the triggers of that partition alone.
do $$
begin
  for n in 0..7 loop
    execute format(
      'create trigger event_follows after insert on event_%s referencing new table as added'
      ' for each statement execute function event_follows()', n
    );
  end loop;
end $$;

drop trigger access_follows on access_line;
create or replace function access_follows() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select a.stream, a.seq, a.hash, a.body, a.body::jsonb as document,
        lag(a.seq) over chained as seq_before, lag(a.hash) over chained as hash_before
      from added a window chained as (partition by a.stream order by a.seq)
    ) l
    left join lateral (
      select e.hash from public.access_line e
      where e.stream = l.stream and e.seq = l.seq - 1 and l.seq_before is distinct from l.seq - 1
      limit 1
    ) stored on true
    where (
      l.document ->> 'prev' = encode(
        case
          when l.seq = 0 then decode(repeat('00', 32), 'hex')
          when l.seq_before = l.seq - 1 then l.hash_before
          else stored.hash
        end, 'hex')
      and (l.document ->> 'seq')::bigint = l.seq
      and l.document ->> 'stream' = l.stream
      and l.hash = sha256(convert_to(l.body, 'UTF8'))
    ) is not true
  ) then
    raise exception 'the line does not follow the one before it' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger access_follows after insert on access_line referencing new table as added
  for each statement execute function access_follows();

-- As before, but that the hashes come with the lines.
create or replace function append_access(p_shard smallint, p_stream text, p_expected bigint, p_line text[])
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_position bigint;
begin
  select s.position into v_position from shard s where s.shard = p_shard for no key update;
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

-- One call, one commit, many commands of one shard, each told by its number, from 1. Outcomes: 0 appended, 1 conflict,
-- 2 repeated, 3 key reused. The arrays of lines, secrets, anchors, people, tokens and access lines say by number whose
-- command they belong to. A command whose access stream has another version than expected is a conflict, unless it is a
-- repeat. Commands of different streams are stored as one set; a second one of a stream comes in a second set behind the
-- first, within the same transaction.
-- Plans are made once a connection, when tables may be empty: they look things up by their keys, however large they are.
create function append_set(
  p_shard smallint,
  p_stream text[], p_expected bigint[], p_command bytea[], p_fingerprint bytea[], p_answer bytea[],
  p_line_of int[], p_line text[],
  p_secret_of int[], p_secret_name text[], p_secret bytea[],
  p_anchor_of int[], p_anchor_seq bigint[], p_anchor_head text[], p_anchor_kind text[],
  p_person_of int[], p_player text[], p_name text[],
  p_token_of int[], p_digest bytea[], p_role text[], p_seat smallint[],
  p_access_of int[], p_access_stream text[], p_access_expected bigint[], p_access_line_of int[], p_access_line text[]
) returns table (number bigint, outcome smallint, version bigint, reached bigint, answer bytea)
language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_position bigint;
  v_rank bigint[];
  v_moved int[] := '{}';
  v_taken bigint[] := '{}';
  v_number bigint[];
  v_outcome smallint[];
  v_version bigint[];
  v_reached bigint[];
  v_answer bytea[];
begin
  select s.position into v_position from shard s where s.shard = p_shard for no key update;
  if cardinality(p_stream) = 1 then
    v_rank := '{1}';
  else
    select array_agg(r.rank order by r.n) into v_rank from (
      select n, row_number() over (partition by stream order by n) as rank
      from unnest(p_stream) with ordinality as given (stream, n)
    ) r;
  end if;
  for v_round in 1 .. coalesce((select max(rank) from unnest(v_rank) as given (rank)), 0) loop
    if cardinality(p_access_of) > 0 then
      v_moved := array(
        select of from unnest(p_access_of, p_access_stream, p_access_expected) as given (of, stream, expected)
        where v_rank[of] = v_round
          and expected <> (select coalesce(max(a.seq) + 1, 0) from access_line a where a.stream = given.stream)
      );
    end if;
    with decided as materialized (
      select g.n, g.stream, g.command, g.fingerprint, g.answer, coalesce(s.version, 0) as version,
        c.answer as answered,
        case
          when c.fingerprint = g.fingerprint then 2
          when c.fingerprint is not null then 3
          when coalesce(s.version, 0) <> g.expected or g.n = any (v_moved) then 1
          else 0
        end::smallint as outcome
      from unnest(p_stream, p_expected, p_command, p_fingerprint, p_answer, v_rank) with ordinality
        as g (stream, expected, command, fingerprint, answer, rank, n)
      left join lateral (
        select c.fingerprint, c.answer from command c
        where c.shard = p_shard and c.stream = g.stream and c.command = g.command limit 1
      ) c on true
      left join lateral (
        select s.version from stream s where s.shard = p_shard and s.stream = g.stream limit 1
      ) s on true
      where g.rank = v_round
    ), line as materialized (
      select d.n, d.stream, l.line, v_position + row_number() over (order by l.ord) as position,
        d.version + row_number() over (partition by d.n order by l.ord) - 1 as seq
      from unnest(p_line_of, p_line) with ordinality as l (of, line, ord)
      join decided d on d.n = l.of and d.outcome = 0
    ), stored as (
      insert into event (shard, position, stream, seq, body, hash)
        select p_shard, position, stream, seq, line, sha256(convert_to(line, 'UTF8')) from line order by position
    ), after as materialized (
      select d.n, d.stream, d.version + count(l.n) as version, max(l.position) as reached,
        coalesce(bool_or(l.line like '%"type":"match.ended","v":1}'), false) as ended
      from decided d left join line l on l.n = d.n where d.outcome = 0 group by d.n, d.stream, d.version
    ), moved as (
      insert into stream (shard, stream, version, ended) select p_shard, stream, version, ended from after
        on conflict (shard, stream) do update set version = excluded.version, ended = excluded.ended
    ), kept as (
      insert into command (shard, stream, command, fingerprint, answer)
        select p_shard, stream, command, fingerprint, answer from decided where outcome = 0
    )
    select array_agg(d.n), array_agg(d.outcome),
      array_agg(case d.outcome when 0 then a.version when 1 then d.version end),
      array_agg(coalesce(a.reached, v_position)), array_agg(d.answered)
      into v_number, v_outcome, v_version, v_reached, v_answer
      from decided d left join after a on a.n = d.n;
    v_position := (select max(reached) from unnest(v_reached) as given (reached));
    v_taken := v_taken || array(select n from unnest(v_number, v_outcome) as given (n, outcome) where outcome = 0);
    if cardinality(p_access_of) > 0 then
      insert into access_line (stream, seq, body, hash)
        select a.stream, a.expected + row_number() over (partition by a.of order by l.ord) - 1, l.line,
          sha256(convert_to(l.line, 'UTF8'))
        from unnest(p_access_line_of, p_access_line) with ordinality as l (of, line, ord)
        join unnest(p_access_of, p_access_stream, p_access_expected) as a (of, stream, expected) on a.of = l.of
        where v_rank[a.of] = v_round and a.of = any (v_taken)
        order by l.ord;
    end if;
    return query select * from unnest(v_number, v_outcome, v_version, v_reached, v_answer);
  end loop;
  if cardinality(p_access_of) > 0 then
    insert into log_outbox (stream, seq, kind, head, shard, position)
      select a.stream, (l.line::jsonb ->> 'seq')::bigint, 'final', encode(sha256(convert_to(l.line, 'UTF8')), 'hex'),
        p_shard, v_position
      from unnest(p_access_line_of, p_access_line) as l (of, line)
      join unnest(p_access_of, p_access_stream) as a (of, stream) on a.of = l.of
      where a.of = any (v_taken) and l.line like '%"type":"access.closed","v":1}';
  end if;
  if cardinality(p_secret_of) > 0 then
    insert into vault.secret (stream, name, wrapped)
      select p_stream[n], name, wrapped from unnest(p_secret_of, p_secret_name, p_secret) as given (n, name, wrapped)
      where n = any (v_taken);
  end if;
  if cardinality(p_anchor_of) > 0 then
    insert into log_outbox (stream, seq, kind, head, shard, position)
      select p_stream[n], seq, kind, head, p_shard, v_position
      from unnest(p_anchor_of, p_anchor_seq, p_anchor_head, p_anchor_kind) as given (n, seq, head, kind)
      where n = any (v_taken);
  end if;
  if cardinality(p_person_of) > 0 then
    -- In one order everywhere: two shards that name the same people wait for each other, and not both.
    insert into person (player, name)
      select distinct on (player) player, name
      from unnest(p_person_of, p_player, p_name) with ordinality as given (n, player, name, ord)
      where n = any (v_taken) order by player, ord desc
      on conflict (player) do update set name = excluded.name;
  end if;
  if cardinality(p_token_of) > 0 then
    -- The line which seats a player says for whom the token is that came with it.
    insert into token (digest, stream, role, seat, player)
      select digest, p_stream[n], role, seat, (
        select line::jsonb -> 'data' ->> 'player' from unnest(p_line_of, p_line) as lines (line_of, line)
        where line_of = n and line like '%"type":"seat.joined","v":1}' and line::jsonb -> 'data' ->> 'seat' = seat::text
      )
      from unnest(p_token_of, p_digest, p_role, p_seat) as given (n, digest, role, seat)
      where n = any (v_taken);
  end if;
  update shard set position = v_position where shard.shard = p_shard and position <> v_position;
end $$;
revoke all on function append_set from public;
grant execute on function append_set to truecup_dealer;

-- What dealers of before this call until they are replaced: the same as a set.
create or replace function append_batch(
  p_shard smallint,
  p_stream text[], p_expected bigint[], p_command bytea[], p_fingerprint bytea[], p_answer bytea[],
  p_line_of int[], p_line text[],
  p_secret_of int[], p_secret_name text[], p_secret bytea[],
  p_anchor_of int[], p_anchor_seq bigint[], p_anchor_head text[], p_anchor_kind text[],
  p_person_of int[], p_player text[], p_name text[],
  p_token_of int[], p_digest bytea[], p_role text[], p_seat smallint[]
) returns table (outcome smallint, version bigint, reached bigint, answer bytea)
language sql security definer set search_path = public, pg_temp as $$
  select s.outcome, s.version, s.reached, s.answer from append_set(
    p_shard, p_stream, p_expected, p_command, p_fingerprint, p_answer, p_line_of, p_line, p_secret_of, p_secret_name,
    p_secret, p_anchor_of, p_anchor_seq, p_anchor_head, p_anchor_kind, p_person_of, p_player, p_name, p_token_of,
    p_digest, p_role, p_seat, '{}', '{}', '{}', '{}', '{}'
  ) s order by s.number
$$;
create or replace function append_batch_seen(
  p_shard smallint,
  p_stream text[], p_expected bigint[], p_command bytea[], p_fingerprint bytea[], p_answer bytea[],
  p_line_of int[], p_line text[],
  p_secret_of int[], p_secret_name text[], p_secret bytea[],
  p_anchor_of int[], p_anchor_seq bigint[], p_anchor_head text[], p_anchor_kind text[],
  p_person_of int[], p_player text[], p_name text[],
  p_token_of int[], p_digest bytea[], p_role text[], p_seat smallint[],
  p_access_of int[], p_access_stream text[], p_access_expected bigint[], p_access_line_of int[], p_access_line text[]
) returns table (outcome smallint, version bigint, reached bigint, answer bytea)
language sql security definer set search_path = public, pg_temp as $$
  select s.outcome, s.version, s.reached, s.answer from append_set(
    p_shard, p_stream, p_expected, p_command, p_fingerprint, p_answer, p_line_of, p_line, p_secret_of, p_secret_name,
    p_secret, p_anchor_of, p_anchor_seq, p_anchor_head, p_anchor_kind, p_person_of, p_player, p_name, p_token_of,
    p_digest, p_role, p_seat, p_access_of, p_access_stream, p_access_expected, p_access_line_of, p_access_line
  ) s order by s.number
$$;
