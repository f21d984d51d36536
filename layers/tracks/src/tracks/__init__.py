"""What the contests hand out and how their answers are scored."""
