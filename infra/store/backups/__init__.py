"""Backups: all that a database holds, as one snapshot saw it, in a folder of files that need no server to be read.

    manifest.json    which tables there are, how many rows they have, their hashes, where the log stood
    event.gz         a table each: the text format of COPY, in the order of its primary key, gzip

The same snapshot gives the same bytes. Whatever a migration makes is in it, but for two tables: `schema_migrations`,
which the manifest has, and `log_branch`, which follows from `log_hash`.

In reading order:

    manifests   what the manifest says, and whether the files are those that it names
    tables      which tables there are, and their columns
    taking      a backup taken
    filling     an empty database filled with one
    snapshot    what a database says of its log, read once more to be checked
"""
