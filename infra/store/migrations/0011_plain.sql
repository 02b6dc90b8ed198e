-- migrate:up

-- Every line is held against the one before it as it comes, whoever inserts it and through whichever table. A line that
-- comes without its hash gets it here, so that its bytes are hashed once; a hash that comes is held against them.
drop trigger event_follows on event;
do $$
begin
  for n in 0..7 loop
    execute format('drop trigger event_follows on event_%s', n);
  end loop;
end $$;
create or replace function event_follows() returns trigger language plpgsql as $$
declare
  v_document jsonb := new.body::jsonb;
  v_hash bytea := sha256(convert_to(new.body, 'UTF8'));
  v_before bytea;
begin
  if new.seq = 0 then
    v_before := '\x0000000000000000000000000000000000000000000000000000000000000000';
  else
    select e.hash into v_before from public.event e
      where e.shard = new.shard and e.stream = new.stream and e.seq = new.seq - 1;
    if v_before is null then
      select a.head into v_before from public.archive a
        where a.shard = new.shard and a.stream = new.stream and a.version = new.seq;
    end if;
  end if;
  if (
    v_document ->> 'prev' = encode(v_before, 'hex')
    and (v_document ->> 'seq')::bigint = new.seq
    and v_document ->> 'stream' = new.stream
    and coalesce(new.hash, v_hash) = v_hash
  ) is not true then
    raise exception 'the line does not follow the one before it' using errcode = 'integrity_constraint_violation';
  end if;
  new.hash := v_hash;
  return new;
end $$;
create trigger event_follows before insert on event for each row execute function event_follows();

-- Most commands are plain: lines and a stored answer, and nothing else. These two functions store plain commands that
-- nothing stands against, or nothing at all: then they return null, and `append_set` says what it is. What they store is
-- what it would have stored. They take the shard before they look, as it does, so what they find stays so. The lines of a
-- command are one text, a line a line; there is one at least.

-- A command that comes alone, as it does at rest. Returns the position of its last line. It moves the shard on before it
-- knows whether it may, and back where it may not: that is a lock less to be written down.
create function append_set_one(
  p_shard smallint, p_stream text, p_expected bigint, p_command bytea, p_fingerprint bytea, p_answer bytea, p_lines text
) returns bigint language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_lines text[] := string_to_array(p_lines, E'\n');
  v_added bigint := cardinality(v_lines);
  v_ended boolean := p_lines like '%"type":"match.ended","v":1}';
  v_reached bigint;
begin
  update shard set position = position + v_added where shard = p_shard returning position into v_reached;
  perform from command c where c.shard = p_shard and c.stream = p_stream and c.command = p_command;
  if not found then
    if p_expected = 0 then
      insert into stream (shard, stream, version, ended) values (p_shard, p_stream, v_added, v_ended)
        on conflict do nothing;
    else
      update stream s set version = p_expected + v_added, ended = v_ended
        where s.shard = p_shard and s.stream = p_stream and s.version = p_expected;
    end if;
    if found then
      insert into command (shard, stream, command, fingerprint, answer)
        values (p_shard, p_stream, p_command, p_fingerprint, p_answer);
      for n in 1 .. v_added loop
        insert into event (shard, position, stream, seq, body)
          values (p_shard, v_reached - v_added + n, p_stream, p_expected + n - 1, v_lines[n]);
      end loop;
      return v_reached;
    end if;
  end if;
  update shard set position = position - v_added where shard = p_shard;
  return null;
end $$;

-- Commands of different streams, in any shards. Returns by shard, from the first, where it stood before; null for a shard
-- that is left out, since somebody else writes to it just now: whoever takes several at once waits for none of them, so
-- two who do never wait for each other.
create function append_set_plain(
  p_shard smallint[], p_stream text[], p_expected bigint[], p_command bytea[], p_fingerprint bytea[], p_answer bytea[],
  p_lines text[]
) returns bigint[] language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_before bigint[] := array_fill(null::bigint, array[8]);
  v_one record;
begin
  if p_shard[1] = all (p_shard) then
    v_before[p_shard[1] + 1] := (select s.position from shard s where s.shard = p_shard[1] for no key update);
  else
    for v_one in
      select s.shard, s.position from shard s where s.shard = any (p_shard) for no key update skip locked
    loop
      v_before[v_one.shard + 1] := v_one.position;
    end loop;
  end if;
  if exists (
    select from unnest(p_shard, p_stream, p_expected, p_command) as g (shard, stream, expected, command)
    left join lateral (
      select s.version from stream s where s.shard = g.shard and s.stream = g.stream limit 1
    ) s on true
    left join lateral (
      select c.command from command c where c.shard = g.shard and c.stream = g.stream and c.command = g.command limit 1
    ) c on true
    where v_before[g.shard + 1] is not null and (coalesce(s.version, 0) <> g.expected or c.command is not null)
  ) then
    return null;
  end if;
  insert into stream (shard, stream, version, ended)
    select shard, stream, expected + cardinality(string_to_array(lines, E'\n')),
      lines like '%"type":"match.ended","v":1}'
    from unnest(p_shard, p_stream, p_expected, p_lines) as g (shard, stream, expected, lines)
    where v_before[shard + 1] is not null
    on conflict (shard, stream) do update set version = excluded.version, ended = excluded.ended;
  insert into command (shard, stream, command, fingerprint, answer)
    select g.* from unnest(p_shard, p_stream, p_command, p_fingerprint, p_answer) as g (shard)
    where v_before[g.shard + 1] is not null;
  insert into event (shard, position, stream, seq, body)
    select g.shard, v_before[g.shard + 1] + row_number() over (partition by g.shard order by g.n, l.n), g.stream,
      g.expected + l.n - 1, l.line
    from unnest(p_shard, p_stream, p_expected, p_lines) with ordinality as g (shard, stream, expected, lines, n),
      unnest(string_to_array(g.lines, E'\n')) with ordinality as l (line, n)
    where v_before[g.shard + 1] is not null;
  update shard s set position = s.position + added.lines
    from (
      select shard, sum(cardinality(string_to_array(lines, E'\n'))) as lines
      from unnest(p_shard, p_lines) as g (shard, lines) group by shard
    ) added
    where s.shard = added.shard and v_before[s.shard + 1] is not null;
  return v_before;
end $$;

revoke all on function append_set_one, append_set_plain from public;
grant execute on function append_set_one, append_set_plain to truecup_dealer;
