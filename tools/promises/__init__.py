"""The promises that a rehearsal proves, clause by clause, as a table in docs/rehearsal.md."""
