"""The package that programs of others import: `client`, with which they play, watch, replay and verify."""
