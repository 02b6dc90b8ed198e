"""What is read of matches: folds in memory, queries, replays, records, streams, and the access log."""
