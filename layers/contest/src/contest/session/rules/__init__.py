"""Pure rules of sessions and their files."""
