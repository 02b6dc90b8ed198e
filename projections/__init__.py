"""What each viewer sees: folds of the log, with no dice but those the viewer may know."""
