"""The felt: a table drawn over a whole terminal, with Textual, which the extra `tui` brings.

Whatever it shows is made printable by `services.cli.screen.plain`, which also hands the terminal over to it. In reading
order:

    table     a seat at a table
    seated    a seat at work, as the table needs it
    watching  a match without a seat, live or once more
    lobby     tables to choose from
    look      its styles and keys
    drawing   a view drawn: seats, claims, dice
    deeds     a view's moves as lines to choose from
"""
