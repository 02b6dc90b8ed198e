-- migrate:up

-- As before, but that a shard that is closed takes nothing: a command without lines moves no position, which the check of
-- the row would see, and its answer would lie where nobody looks for it. Nor is anything said of what is stored there.
create or replace function append_set(
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
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
  v_position bigint;
  v_closed_at bigint;
  v_rank bigint[];
  v_moved int[] := '{}';
  v_taken bigint[] := '{}';
  v_number bigint[];
  v_outcome smallint[];
  v_version bigint[];
  v_reached bigint[];
  v_answer bytea[];
  v_one record;
  v_ended boolean;
begin
  select s.position, s.closed_at into v_position, v_closed_at from shard s where s.shard = p_shard for no key update;
  if v_closed_at is not null then
    raise exception 'the shard is not here' using errcode = 'check_violation', constraint = 'shard_open';
  end if;
  if cardinality(p_stream) = 1 and cardinality(p_access_of) = 0 then
    -- A set of one, without what only sets need: sorting, numbering, joining.
    select c.fingerprint, c.answer, s.version into v_one
      from (select) one
      left join lateral (
        select c.fingerprint, c.answer from command c
        where c.shard = p_shard and c.stream = p_stream[1] and c.command = p_command[1] limit 1
      ) c on true
      left join lateral (
        select s.version from stream s where s.shard = p_shard and s.stream = p_stream[1] limit 1
      ) s on true;
    number := 1;
    outcome := case
      when v_one.fingerprint = p_fingerprint[1] then 2
      when v_one.fingerprint is not null then 3
      when coalesce(v_one.version, 0) <> p_expected[1] then 1
      else 0
    end;
    version := case outcome when 0 then p_expected[1] + cardinality(p_line) when 1 then coalesce(v_one.version, 0) end;
    answer := v_one.answer;
    if outcome = 0 then
      if cardinality(p_line) = 1 then
        v_ended := ends_stream(p_line[1]);
        insert into event (shard, position, stream, seq, body, hash) values (
          p_shard, v_position + 1, p_stream[1], p_expected[1], p_line[1], sha256(convert_to(p_line[1], 'UTF8'))
        );
      else
        v_ended := exists (
          select from unnest(p_line) as given (line) where ends_stream(line)
        );
        insert into event (shard, position, stream, seq, body, hash)
          select p_shard, v_position + n, p_stream[1], p_expected[1] + n - 1, line, sha256(convert_to(line, 'UTF8'))
          from unnest(p_line) with ordinality as given (line, n) order by n;
      end if;
      if v_one.version is null then
        insert into stream (shard, stream, version, ended) values (p_shard, p_stream[1], version, v_ended);
      else
        update stream s set version = append_set.version, ended = v_ended
          where s.shard = p_shard and s.stream = p_stream[1];
      end if;
      insert into command (shard, stream, command, fingerprint, answer)
        values (p_shard, p_stream[1], p_command[1], p_fingerprint[1], p_answer[1]);
      v_position := v_position + cardinality(p_line);
      v_taken := '{1}';
    end if;
    reached := v_position;
    return next;
  else
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
          coalesce(bool_or(ends_stream(l.line)), false) as ended
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
  end if;
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
    -- The line which seats, enters or appoints somebody says for whom the token is that came with it. A number is a seat
    -- of a match, or that of an entrant; an official has none.
    insert into token (digest, stream, role, seat, player)
      select t.digest, p_stream[t.n], t.role, t.seat, h.player
      from unnest(p_token_of, p_digest, p_role, p_seat) as t (n, digest, role, seat)
      left join (
        select l.n,
          coalesce(l.line::jsonb -> 'data' ->> 'seat', l.line::jsonb -> 'data' ->> 'number', '0')::smallint as number,
          coalesce(l.line::jsonb -> 'data' ->> 'player', l.line::jsonb -> 'data' ->> 'official') as player
        from unnest(p_line_of, p_line) as l (n, line)
        where right(l.line, 40) ~ '"type":"(seat[.]joined|player[.]registered|official[.]appointed)","v":1[}]$'
      ) h on h.n = t.n and h.number = coalesce(t.seat, 0)
      where t.n = any (v_taken);
  end if;
  update shard set position = v_position where shard.shard = p_shard and position <> v_position;
end $$;
