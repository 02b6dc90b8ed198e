-- migrate:up

-- What has changed beside the lines of a shard while it is copied to another primary: whoever moves it attaches triggers
-- that write here for as long, and looks here for what is to be copied again. Nobody else does.
create table shard_change (
  number uuid primary key default gen_random_uuid(),
  stream text not null,
  digest bytea
);

create function shard_changes() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'token' then
    insert into public.shard_change (stream, digest) values (new.stream, new.digest);
  else
    insert into public.shard_change (stream) values (new.stream);
  end if;
  return null;
end $$;
revoke all on function shard_changes from public;
