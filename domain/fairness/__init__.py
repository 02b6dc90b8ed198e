"""Dice nobody chose, and how anybody checks that (CUP/1).

In reading order:

    deal        one deal: its cups, its tree of commitments, its seeds mixed
    sampling    dice from bytes, none likelier than another
    openings    dice shown with their proof, and the secrets they follow from
    choices     sealed choices of dice
    beacons     public randomness
    faults      every way in which a record can be wrong, with its code
    records     a record file, taken apart
    points      which 32 bytes are a key that anybody could sign with
    shapes      the members of each event, as the auditor reads them
    chain       lines that carry the hash of the one before
    anchors     lines that stand in the transparency log
    misdated    lines that witnesses date otherwise
    dealing     the ceremony, checked step by step
    signing     what seats with keys asked for, signed by them
    audit       layers 1 and 2 together
    custody     for which seats the server draws seeds, line by line
    names       names of people, held against what the lines commit to
    shared      what the record of a board says of its dice
    proving     a single die, proved
"""
