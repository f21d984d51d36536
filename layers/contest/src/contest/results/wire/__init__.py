"""Bodies of results."""
