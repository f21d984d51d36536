"""Submissions as use cases: bringing, checking, running, scoring, organizing (tracks-sessions T13)."""
