"""The house's bots: openly marked as such, and knowing no more than anybody in their seat."""
