"""Work beside requests: failures contained, waits, turns of the event loop, what changed in the log."""
