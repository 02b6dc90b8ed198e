"""The front door: what every connection and every request meets before the application does."""
