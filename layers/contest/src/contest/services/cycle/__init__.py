"""Loading a cycle."""
