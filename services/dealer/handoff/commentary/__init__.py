"""Comments, handed over.

In reading order:

    comment_messages    questions and replies, as they travel
    comment_desk        the side that has the dealer
"""
