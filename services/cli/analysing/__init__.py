"""Commands about strength: analyses of records, policies, engines and their gauntlet.

In reading order:

    manual    what `--help` says of them
"""
