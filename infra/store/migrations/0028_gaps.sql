-- migrate:up

-- Times in which nobody was there, each by the last word before it and when somebody was there again, in Unix
-- milliseconds one after the other: whoever looks at a match gives its clock back what it has lost of them.
alter table heartbeat add column gaps bigint[] not null default '{}';
