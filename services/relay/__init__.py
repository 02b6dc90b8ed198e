"""The relay: follows the log by position and tells what it finds, to viewers as frames, in the store as rows."""
