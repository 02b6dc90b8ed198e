"""Shards spread over several databases, the primaries of a house.

The law of the rooms here: a shard is where its own row is open, and nowhere else. Where a program thinks it is, is only
where it asks first.

In reading order:

    places      which shard lives where, as the home says it
    naming      what each primary says it is, and how one joins a house
    routed      a store over several primaries: each stream at the one that has its shard
    beside      what is of the house as a whole, and lives at home
    spanning    commands of streams at several primaries, stored all or none
    copying     a shard copied while it is written to
    moving      moves of shards from one primary to another
    dropping    what a move has left where the shard was, dropped
    opening     a store on whatever the settings name
"""
