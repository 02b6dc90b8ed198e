"""Changes of a tournament that its events lead to, besides those that stand in `domain.tournaments.evolve`.

tables      their matches are open, come to something, are ruled on, or are played again
keys        which keys entrants sign with
ladders     challenges, and what becomes of them
"""
