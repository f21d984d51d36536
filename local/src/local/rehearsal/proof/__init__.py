"""What a rehearsal proves, from what was seen alone."""
