"""Bodies of runs."""
