"""Content codings: which answers are compressed, and how. RFC 9110 section 8.4.

The law of the room: only what anybody may see is compressed, for a compressed length speaks of what is inside. An
answer with something secret beside something that others chose would tell them the secret a guess at a time (BREACH,
https://breachattack.com). What a seat is sent is as long as it would be with any other dice (`projections.lengths`),
and compressed it would not be.

In reading order:

    negotiation     which coding a reader takes
    coders          gzip and brotli
    variants        documents that are compressed once
    compression     answers that are compressed as they are made
"""
