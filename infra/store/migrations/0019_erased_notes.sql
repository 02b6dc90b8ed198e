-- migrate:up

-- Officials of a tournament erase what was said beside a line: salt and text go, the hash in the log stays.
grant delete on note to truecup_dealer;
