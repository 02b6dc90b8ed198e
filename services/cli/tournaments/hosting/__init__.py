"""A tournament of a service, held and followed from a terminal.

desk        the tournament, and the token that speaks for its host
holding     it is announced, entered, begun, paired, ruled on
watching    it is followed
"""
