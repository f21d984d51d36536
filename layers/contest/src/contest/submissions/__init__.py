"""Submissions: answers to a whole set, by one file or one program."""
