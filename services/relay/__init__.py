"""The relay: follows the log by position and tells what it finds, to viewers as frames and to the lobby as rows."""
