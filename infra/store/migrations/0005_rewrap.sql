-- migrate:up

-- A secret is wrapped anew when a key is changed. Nothing else may change one: the wrapping it replaces is named, so that
-- of two that replace it one does nothing, and its length stays, since what is inside does.
create function rewrap_secrets(p_stream text[], p_name text[], p_before bytea[], p_wrapped bytea[]) returns bigint
language sql security definer set search_path = public, pg_temp as $$
  with changed as (
    update vault.secret s set wrapped = given.wrapped
    from unnest(p_stream, p_name, p_before, p_wrapped) as given (stream, name, before, wrapped)
    where s.stream = given.stream and s.name = given.name and s.wrapped = given.before
      and octet_length(given.wrapped) = octet_length(given.before)
    returning 1
  )
  select count(*) from changed
$$;
revoke all on function rewrap_secrets from public;
grant execute on function rewrap_secrets to truecup_dealer;
