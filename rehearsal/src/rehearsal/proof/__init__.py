"""The proof of a rehearsal: checks of observed data, and of nothing else."""
