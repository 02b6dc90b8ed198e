-- migrate:up

-- The tree of the log once more, in rows that lie together: what four levels of it hold above sixteen neighbours, as soon
-- as they are complete. A proof climbs from a leaf to the root, and finds twenty hashes in five or six of these rows; in
-- `log_hash`, which has them in the order in which they were made, each of the upper ones lies on a page of its own.
-- `level` is a multiple of four; `hashes` has those of that level, from `16 * index` on, then the eight above them, four
-- and two. All of it follows from `log_hash`, which stays: whatever keeps the log writes there, and the edge of the tree
-- is nowhere else.
create table log_branch (
  level smallint not null,
  index bigint not null,
  hashes bytea not null check (octet_length(hashes) = 960),
  primary key (level, index)
);

-- Writes down the branches that are complete with these hashes. The last hash of sixteen neighbours completes the one
-- above it, and so on, and `merkle.new_subtrees` has them stored in one statement.
create function log_branch_completes() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into log_branch (level, index, hashes)
    select a.level, a.index / 16, b.hashes
    from added a
    cross join lateral (
      select string_agg(h.hash, ''::bytea order by h.level, h.index) as hashes
      from generate_series(0, 3) as above
      join log_hash h on h.level = a.level + above
        and h.index >= (a.index / 16) * (16 >> above) and h.index < (a.index / 16 + 1) * (16 >> above)
    ) b
    where a.level % 4 = 0 and a.index % 16 = 15 and octet_length(b.hashes) = 960
    on conflict do nothing;
  return null;
end $$;
revoke all on function log_branch_completes from public;
create trigger log_branch_completes after insert on log_hash referencing new table as added
  for each statement execute function log_branch_completes();

-- Whoever adds to the log waits from here on until the rows of before are there.
insert into log_branch (level, index, hashes)
  select b.level, b.index, b.hashes
  from (
    select (level / 4) * 4 as level, index >> (4 - level % 4) as index,
      string_agg(hash, ''::bytea order by level, index) as hashes
    from log_hash group by 1, 2
  ) b
  where octet_length(b.hashes) = 960
  order by b.level, b.index;

grant select on log_branch to truecup_api, truecup_relay, truecup_dealer;
