"""Commands for whoever plays, watches or replays a match."""
