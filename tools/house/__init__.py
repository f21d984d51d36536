"""Count the code's obstacles to reading, and hold that the counts fall."""
