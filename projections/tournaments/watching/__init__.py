"""Views for those who watch a tournament: `moved`, the tables and rows of standings that a line moves."""
