-- migrate:up

-- Who saw what: a stream beside that of each match, chained like it. Its lines have no position: nobody follows them.
create table access_line (
  stream text not null,
  seq bigint not null,
  body text not null,
  hash bytea not null,
  primary key (stream, seq)
);

create function access_follows() returns trigger language plpgsql as $$
declare
  before bytea;
  document jsonb := new.body::jsonb;
begin
  new.hash := sha256(convert_to(new.body, 'UTF8'));
  if new.seq = 0 then
    before := decode(repeat('00', 32), 'hex');
  else
    select a.hash into before from access_line a where a.stream = new.stream and a.seq = new.seq - 1;
  end if;
  if before is null
    or document ->> 'prev' is distinct from encode(before, 'hex')
    or (document ->> 'seq')::bigint is distinct from new.seq
    or document ->> 'stream' is distinct from new.stream then
    raise exception 'the line does not follow the one before it' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger access_follows before insert on access_line for each row execute function access_follows();
create trigger access_is_for_ever before update or delete on access_line
  for each row execute function event_is_for_ever();
create trigger access_stays before truncate on access_line for each statement execute function event_is_for_ever();

-- Adds lines to an access stream under the lock of its match's shard; false if it has another version than expected.
-- The line that closes it goes to the transparency log.
create function append_access(p_shard smallint, p_stream text, p_expected bigint, p_line text[]) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_position bigint;
begin
  select s.position into v_position from shard s where s.shard = p_shard for no key update;
  if p_expected <> (select coalesce(max(a.seq) + 1, 0) from access_line a where a.stream = p_stream) then
    return false;
  end if;
  insert into access_line (stream, seq, body)
    select p_stream, p_expected + n - 1, line from unnest(p_line) with ordinality as given (line, n) order by n;
  insert into log_outbox (stream, seq, kind, head, shard, position)
    select a.stream, a.seq, 'final', encode(a.hash, 'hex'), p_shard, v_position
    from access_line a
    where a.stream = p_stream and a.seq >= p_expected and a.body like '%"type":"access.closed","v":1}';
  return true;
end $$;

-- append_batch for commands that let somebody see dice: both streams in one transaction, or neither. A command whose
-- access stream has another version than expected is a conflict, unless it is a repeat.
create function append_batch_seen(
  p_shard smallint,
  p_stream text[], p_expected bigint[], p_command bytea[], p_fingerprint bytea[], p_answer bytea[],
  p_line_of int[], p_line text[],
  p_secret_of int[], p_secret_name text[], p_secret bytea[],
  p_anchor_of int[], p_anchor_seq bigint[], p_anchor_head text[], p_anchor_kind text[],
  p_person_of int[], p_player text[], p_name text[],
  p_token_of int[], p_digest bytea[], p_role text[], p_seat smallint[],
  p_access_of int[], p_access_stream text[], p_access_expected bigint[], p_access_line_of int[], p_access_line text[]
) returns table (outcome smallint, version bigint, reached bigint, answer bytea)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_row record;
  v_number int := 0;
begin
  perform 1 from shard s where s.shard = p_shard for no key update;
  for i in 1 .. cardinality(p_access_of) loop
    if p_access_expected[i] <> (
      select coalesce(max(a.seq) + 1, 0) from access_line a where a.stream = p_access_stream[i]
    ) then
      p_expected[p_access_of[i]] := -1;
    end if;
  end loop;
  for v_row in
    select * from append_batch(
      p_shard, p_stream, p_expected, p_command, p_fingerprint, p_answer, p_line_of, p_line, p_secret_of, p_secret_name,
      p_secret, p_anchor_of, p_anchor_seq, p_anchor_head, p_anchor_kind, p_person_of, p_player, p_name, p_token_of,
      p_digest, p_role, p_seat
    )
  loop
    v_number := v_number + 1;
    if v_row.outcome = 0 and v_number = any (p_access_of) then
      if not append_access(
        p_shard,
        p_access_stream[array_position(p_access_of, v_number)],
        p_access_expected[array_position(p_access_of, v_number)],
        array(
          select line from unnest(p_access_line_of, p_access_line) with ordinality as given (line_of, line, ord)
          where line_of = v_number order by ord
        )
      ) then
        -- Two commands of one match in one batch: sent again one by one, the second is a conflict.
        raise exception 'the access stream moved' using errcode = 'serialization_failure';
      end if;
    end if;
    outcome := v_row.outcome; version := v_row.version; reached := v_row.reached; answer := v_row.answer;
    return next;
  end loop;
end $$;

grant select on access_line to truecup_api, truecup_dealer;
revoke all on function append_access, append_batch_seen from public;
grant execute on function append_access, append_batch_seen to truecup_dealer;
