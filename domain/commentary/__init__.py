"""Commentary: what people say about a match, in a stream of its own beside it, and never part of its audit.

In reading order:

    authors       who writes, by opaque ids
    texts         what a comment may hold, and how a language is named
    events        its lines
    commentary    the comments as their stream leaves them
    deciding      commands, and what they lead to
    record        its lines as bytes
"""
