"""The words of the house: sentences on matches and audits, from a catalogue that the scripts of the pages read as well.

In reading order: `catalogue` (the file, its messages and how one is said), `evidence` (the dice that a verdict goes
by), `events` (what happened in a match), `people` (entrants in plain text), `figures` (numbers as each language writes
them), `printed` (those of an analysis), `sentences` (what an analysis says of itself), `details` (what problems say of
a request, in English alone).
"""
