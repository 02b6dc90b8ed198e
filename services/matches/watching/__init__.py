"""Watching: streams for those who sit nowhere, made of what everybody may see.

crowds       how many there are
casting      every cup, one round late
telling      what may be said while a match is played
told_frames  its frames, made once for all who are told
late_pages   its frames, made once for all who cast
named_pages  pages of frames, kept while everybody in them is called what they were
delays       the match as it was some time ago
embargo      the match as it was before a round that goes on at other tables with the same dice
presence     who looks at a card of a tournament, and who has gone
listing      the lists of the lobby
bot_turns    how bots of the house took their turns, once a deal is over
tallies      what all dice of the house came to
"""
