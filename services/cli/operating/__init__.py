"""Commands for whoever runs a house: up, serve, migrate, doctor, rewrap, witness."""
