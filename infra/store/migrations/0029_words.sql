-- migrate:up

-- Words are left by a function: what it does to the gaps is too much for one statement. It may be there already, since a
-- program on its way here had it in the migration before.

-- Leave word that somebody is there at a time and has been since another, and keep what lies between that and the word
-- before as a gap, where it is longer than may be missed. Returned is what counts after that.
create or replace function leave_word(
  p_at bigint, p_since bigint, p_ahead_ms bigint, p_missed_ms bigint, p_short_ms bigint, p_gaps_max int
) returns table (at bigint, gaps bigint[]) language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_at bigint;
  v_gaps bigint[];
  v_size int;
begin
  insert into heartbeat (at) values (p_at) on conflict (one) do nothing;
  select h.at, h.gaps, cardinality(h.gaps) into v_at, v_gaps, v_size from heartbeat h for no key update;
  if v_at > p_at + p_ahead_ms then
    -- A word so far ahead was never right. What it has ended of a gap ends where somebody begins who is; where nobody
    -- begins there was none. Gaps that begin later than this clock are of others, and it is this one that is behind.
    v_gaps := array(
      select case when n % 2 = 0 and time > p_at + p_ahead_ms and v_gaps[n - 1] <= p_at then p_since else time end
      from unnest(v_gaps) with ordinality as given (time, n),
        lateral (select v_gaps[(n + 1) / 2 * 2 - 1] as began, v_gaps[(n + 1) / 2 * 2] as ended) as gap
      where ended <= p_at + p_ahead_ms or began > p_at or p_since - began > p_missed_ms
      order by n
    );
    v_at := p_at;
  elsif p_since - v_at > p_missed_ms then
    -- A stay that was short parts no gap in two.
    v_gaps := case when v_at - v_gaps[v_size] <= p_short_ms then v_gaps[:v_size - 1] || p_since
      else v_gaps[greatest(1, v_size - 2 * p_gaps_max + 3):] || array[v_at, p_since] end;
  end if;
  v_at := greatest(v_at, p_at);
  update heartbeat set at = v_at, gaps = v_gaps;
  return query select v_at, v_gaps;
end $$;
revoke all on function leave_word from public;
grant execute on function leave_word to truecup_dealer;
