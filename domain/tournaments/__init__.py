"""Tournaments as laws: who sits with whom, what a result is worth and who stands where, the same for everybody.

In reading order:

    rules           what a host asks for, spelled out; `options`, how it is read and checked; `presets`, by name
    events          the lines of a tournament
    tournament      how it stands; `changed`, with a part of it replaced; `evolve` and `changes`, what each line changes
    commands        what may be asked for; `deciding`, what that leads to
    field           a stage as its laws look at it
    formats         what a stage is, a file each
    pairing         who sits at which table, in which seat, by lots and by `pods/1`
    schedules       who meets whom where that is known from the start, or follows from who is still in
    ranking         what a place at a table is worth, and who stands where
    matches         the match of a table: its rules, and the result that it is
    boards          the same dice at several tables: a deal in a stream of its own
    record          the stream, read back
    certificates    what shows that a pairing is what the law says
    points          whole numbers and fractions as they are written
"""
