"""Players as programs: the levels of the house, and TCE/1 for programs of others."""
