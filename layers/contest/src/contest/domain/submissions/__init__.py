"""Submissions: a whole set answered by one file, or by a program that the platform runs (tracks-sessions T13)."""
