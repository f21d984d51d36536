"""Pure rules of runs."""
