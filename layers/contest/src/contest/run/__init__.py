"""Scheduled runs: planned, decided about, watched, recorded."""
