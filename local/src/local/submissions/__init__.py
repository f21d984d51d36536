"""Submissions of programs, run on this machine, confined as strongly as it can (tracks-sessions.md F-1 … F-6)."""
