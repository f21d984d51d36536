"""Submissions of programs, run on this machine in the strongest confinement that it has (tracks-sessions.md F-1 … F-6)."""
