"""Players of a rehearsal: simulated teams, their programs, the staff, and the driven clock."""
