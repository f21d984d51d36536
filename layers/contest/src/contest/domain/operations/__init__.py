"""What can be stuck in a deployed contest, and what people do about it."""
