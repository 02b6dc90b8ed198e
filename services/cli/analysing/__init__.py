"""Commands about strength: analyses of records, policies, engines and their gauntlet.

In reading order:

    manual      what `--help` says of them
    analyse     a record judged
    telling     an analysis in words
    writing     the page that is one file
    gauntlet    players measured against each other
    engine      a player of the house as a program
    policies    what is done with policies
    shelves     policies listed, shown, verified
    solving     rounds solved, each kept once it is done
    blueprints  rounds learnt, each kept however far it has come
    fitting     the round model anew
    cups        blind cups of two seats
"""
