"""Reads of matches: folds in memory, queries, replays, streams, records.

In reading order:

    recent          what the lines stored last have led to
    milestones      folds in memory, from which reading goes on
    names           display names
    cards           names of tables, and which are private
    access_log      hidden dice on record before they leave
    shared          all of these, made once a program
    queries         the matches of the house, read
    replays         frames made again
    frame_buffer    the last frames of a live match
    streams         live matches
    records         record files
    transparency    what the house publishes of its log
"""
