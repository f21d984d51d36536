"""Count what makes the house hard to read, and hold that the counts fall."""
