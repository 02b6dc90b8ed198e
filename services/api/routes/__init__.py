"""The routes of the interface, a file a subject."""
