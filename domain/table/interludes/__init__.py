"""Interludes: what some games put between rounds or in the middle of one."""
