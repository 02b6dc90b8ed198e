-- migrate:up

-- A finished match is one row: its lines as one text, which the database compresses, with the positions they had. It is
-- read as before. The lines of a match repeat each other, so together they take a fourth of what they take as rows.
create table archive (
  shard smallint not null,
  stream text not null,
  version bigint not null,
  first bigint not null,
  last bigint not null,
  head bytea not null,
  positions bigint[] not null,
  lines text not null,
  primary key (shard, stream)
) partition by list (shard);
do $$
begin
  for n in 0..7 loop
    execute format('create table archive_%s partition of archive for values in (%s)', n, n);
    execute format(
      'create trigger archive_stays before truncate on archive_%s for each statement execute function event_is_for_ever()', n
    );
  end loop;
end $$;
-- Positions are dense, so whoever follows a shard asks for the matches that have a line among the next so many.
create index archive_places on archive using gist (int8range(first, last, '[]'));
create trigger archive_is_for_ever before update or delete on archive
  for each row execute function event_is_for_ever();
create trigger archive_stays before truncate on archive for each statement execute function event_is_for_ever();
-- Not every server was built with the faster of the two ways to compress.
do $$
begin
  alter table archive alter column lines set compression lz4;
  for n in 0..7 loop
    execute format('alter table archive_%s alter column lines set compression lz4', n);
  end loop;
exception
  when feature_not_supported then
    null;
end $$;

alter table stream add column archived boolean not null default false;
create index stream_finished on stream (shard, stream) where ended and not archived;

-- Lines are changed as little as before, and leave their table only for the archive: all of a match in one statement, when
-- the archive has the very same.
drop trigger event_is_for_ever on event;
create trigger event_is_for_ever before update on event for each row execute function event_is_for_ever();
create function event_leaves() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select g.shard, g.stream, array_agg(g.position order by g.seq) as positions,
        string_agg(g.body, E'\n' order by g.seq) as lines
      from gone g group by g.shard, g.stream
    ) g
    left join public.archive a on a.shard = g.shard and a.stream = g.stream
    where (a.positions = g.positions and a.lines = g.lines) is not true
  ) then
    raise exception 'events are never changed' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
revoke all on function event_leaves from public;
create trigger event_leaves after delete on event referencing old table as gone
  for each statement execute function event_leaves();
do $$
begin
  for n in 0..7 loop
    execute format(
      'create trigger event_leaves after delete on event_%s referencing old table as gone'
      ' for each statement execute function event_leaves()', n
    );
  end loop;
end $$;

-- As before, but that the line before may be in the archive.
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
        union all
        select a.head from public.archive a
        where a.shard = v_shard and a.stream = l.stream and a.version = l.seq and l.seq_before is distinct from l.seq - 1
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

-- Moves the first finished match of a shard behind this one, by its name, to the archive, if there is one whose last line
-- is older than `p_before`, in Unix milliseconds. Its final anchor has left the outbox, and so has every other: whatever is
-- written about its lines has been. Looks at some only; says how far it has looked, null if there is none behind.
-- An append to the shard waits meanwhile, so there is one match a call.
create function archive_next(p_shard smallint, p_after text, p_before bigint) returns table (looked text, moved boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_live bigint := coalesce((select position from projection_cursor where name = 'live' and shard = p_shard), 0);
  v_finished record;
  v_lines bigint;
begin
  looked := null;
  moved := false;
  for v_finished in
    select s.stream, s.version from stream s
    where s.shard = p_shard and s.ended and not s.archived and s.stream > p_after order by s.stream limit 64
  loop
    looked := v_finished.stream;
    continue when not exists (
      select from event e
      where e.shard = p_shard and e.stream = v_finished.stream and e.seq = v_finished.version - 1
        and e.position <= v_live and (e.body::jsonb ->> 'at')::bigint < p_before
    ) or not exists (select from log_entry l where l.stream = v_finished.stream and l.kind = 'final')
      or exists (select from log_outbox o where o.stream = v_finished.stream);
    perform from shard s where s.shard = p_shard for no key update;
    update stream s set archived = true
      where s.shard = p_shard and s.stream = v_finished.stream and s.version = v_finished.version and not s.archived;
    continue when not found;
    insert into archive (shard, stream, version, first, last, head, positions, lines)
      select p_shard, v_finished.stream, v_finished.version, min(e.position), max(e.position),
        (array_agg(e.hash order by e.seq desc))[1], array_agg(e.position order by e.seq),
        string_agg(e.body, E'\n' order by e.seq)
      from event e where e.shard = p_shard and e.stream = v_finished.stream;
    delete from event e where e.shard = p_shard and e.stream = v_finished.stream;
    get diagnostics v_lines = row_count;
    if v_lines <> v_finished.version then
      raise exception 'a stream has % lines, and not %', v_lines, v_finished.version using errcode = 'data_corrupted';
    end if;
    moved := true;
    exit;
  end loop;
  return next;
end $$;
revoke all on function archive_next from public;

grant select on archive to truecup_api, truecup_relay, truecup_dealer;
grant execute on function archive_next to truecup_dealer;
