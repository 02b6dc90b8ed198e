"""The relay: follows the log by position and tells what it finds, to viewers as frames, in the store as rows.

In reading order:

    relay                   all works together
    tail                    what was stored last, and bells that ring for it
    follower                a work that follows the log
    publisher               frames
    card_teller             cards of entrants
    left_out                streams that rows do not show
    lobby_projector         rows of the lobby
    tournament_projector    the list of tournaments
    statistics_projector    dice, counted
"""
