"""What follows from sessions: files' states, reports, readiness, boards."""
