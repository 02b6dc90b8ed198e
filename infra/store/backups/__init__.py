"""Backups: all that a database holds, as one snapshot saw it, in a folder of files that need no server to be read.

    manifest.json    which tables there are, how many rows they have, their hashes, where the log stood
    event.gz         a table each: the text format of COPY, in the order of its primary key, gzip

A house with several primaries has a folder of that kind for each, all of one moment:

    house.json       which primaries there are, and the hash of each one's manifest
    home/ b/ ...

The same snapshot gives the same bytes. Whatever a migration makes is in it, but for two tables: `schema_migrations`,
which the manifest has, and `log_branch`, which follows from `log_hash`.

In reading order:

    manifests   what the manifest says, and whether the files are those that it names
    tables      which tables there are, and their columns
    taking      a backup taken
    filling     an empty database filled with one
    cutting     one moment of several primaries
    houses      backups of houses with several primaries
    snapshot    what a house says of its log, read once more to be checked
    clearing    rows of projections thrown away, to be made again
    snapshot    what a database says of its log, read once more to be checked
"""
