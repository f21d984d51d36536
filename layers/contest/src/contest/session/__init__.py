"""Sessions: opened, joined, followed, closed."""
