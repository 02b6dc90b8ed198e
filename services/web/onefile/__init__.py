"""A match as one file: what happened, what an analysis says of it, the record, and the auditor that checks it.

The page needs no network and may have none: whatever it shows is in it, and its own policy forbids all else.

In reading order:

    asking     a page that is asked for, made within bounds
    page       the page
    events     what happened, each with what is said of it
    looking    what the replay in it asks for
    remarks    what people said, from its export
    edition    what tells pages of a release from others
    bundler    modules of scripts as one script
"""
