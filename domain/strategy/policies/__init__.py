"""Policies: how a seat plays and is read, as files that are known by their hash.

In reading order:

    facts    what a policy may be for
    headers  the first line, by which policies are told apart
    files    what follows it, read and proved
    ahead    solved rounds that a match may come to
"""
