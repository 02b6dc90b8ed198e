"""A match from its lobby to its last line: seats, deals, clocks, absence, and the game itself.

In reading order:

    settings        what is frozen when a match is opened
    ceremony        how dice come about, as a state and its steps
    cups            the cups of dice that several tables share
    clocks          whose time runs
    absence         who keeps a table waiting, and for how long
    pauses          since when a table is held up, and until when
    turns           since when there is to decide what there is
    evolve          what is remembered of a match
    dues            what is due, and when
    course          the events of one command as they come about
    dealing         commands of a deal
    following       what follows of itself, and what is due at a time
    powers          what a host may do
    boards          dice that several tables of a tournament share
    tournament      what is said and done at a table of a tournament
    decide          a command, decided
    signing         what the signatures of its seats hang on
    record          a match as lines, and back
    signed_commands what seats with keys sign, held against that
    ranking         who stands where, once it is over
"""
