"""What a rehearsal proves, clause by clause, as tables in docs/rehearsal.md."""
