"""Pure rules of results."""
