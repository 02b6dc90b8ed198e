"""A monitor: follows a log that somebody else keeps, and says what is wrong with it."""
