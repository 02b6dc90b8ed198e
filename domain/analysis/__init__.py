"""Analysis: what a finished match says about those who played it, as one canonical document."""
