"""Submissions: a whole set answered by one file or program."""
