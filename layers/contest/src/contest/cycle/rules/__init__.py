"""Pure rules of a cycle."""
