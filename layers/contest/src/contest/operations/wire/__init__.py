"""Bodies of the platform itself: failed jobs, costs, checks."""
