"""Who plays in a rehearsal: teams, their programs, the driven clock."""
