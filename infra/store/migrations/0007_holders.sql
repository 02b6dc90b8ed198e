-- migrate:up

-- The number of a seat that was given up may be given again, so a seat's token is for the player who took it. Numbers were
-- never given twice before: whoever joined in a seat is whom its token was given to.
alter table token add column player text;
update token t set player = (
  select e.doc -> 'data' ->> 'player' from event e
  where e.shard = s.shard and e.stream = s.stream
    and e.doc ->> 'type' = 'seat.joined' and e.doc -> 'data' ->> 'seat' = t.seat::text
  order by e.seq limit 1
) from stream s where s.stream = t.stream and t.role = 'seat';

-- One call, one commit, many commands of one shard. Outcomes: 0 appended, 1 conflict, 2 repeated, 3 key reused.
-- The arrays of lines, secrets, anchors, people and tokens say by number, from 1, whose command they belong to. As before,
-- but that the line which seats a player says for whom the token is that came with it.
create or replace function append_batch(
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
  insert into token (digest, stream, role, seat, player)
    select digest, p_stream[n], role, seat, (
      select line::jsonb -> 'data' ->> 'player' from unnest(p_line_of, p_line) as lines (line_of, line)
      where line_of = n and line like '%"type":"seat.joined","v":1}' and line::jsonb -> 'data' ->> 'seat' = seat::text
    )
    from unnest(p_token_of, p_digest, p_role, p_seat) as given (n, digest, role, seat)
    where n = any (v_taken);
  update shard set position = v_position where shard.shard = p_shard;
end $$;
