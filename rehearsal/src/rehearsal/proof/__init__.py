"""The proof of a rehearsal: checks of what was observed, and of nothing else."""
