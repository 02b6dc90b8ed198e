"""Drivers that know no dice: they carry bytes, tell the time, draw chance, keep keys."""
