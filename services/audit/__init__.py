"""Audits of whole records: the verdict of all layers, its findings in words, and the receipts people keep.

In reading order:

    beacons            the public beacons this house knows
    acts               acts of officials, and gaps, in a tournament
    laws               what a record shows of a tournament's laws and lots, beyond that it keeps them
    dutch              pairings of a package, made and worked out again
    people             what people are called, held against a record
    seeds              who drew seeds, what was thrown away, and who signed what he did
    tables             tables of tournaments and their boards, as records tell of them
    seasons            ratings, and what counts for a season, held against the records of tournaments
    verdict            all layers together, with what lies beside a record
    results            results of tournaments held against the records of their matches
    findings           what an audit comes to, in sentences
    report             an audit as JSON values
    receipts           what a client keeps of what the server signed
    statistics_text    the open statistics, for people
    odds_questions     questions about odds, as people send them
"""
