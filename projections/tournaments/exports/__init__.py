"""Exports of a tournament: what other programs, calendars and printers read.

In reading order:

    moments     times as files write them
    csv_files   pairings and results as tables for spreadsheets
    trf         the report of an event at tables of two, for programs of chess
    calendars   rounds as events of a calendar
    alphabet    names as people look them up
    lists       pairings to print and hang up, by name and by table
    hook_messages   what programs of others are told as it happens
    card_frames     cards of entrants, as they travel
"""
