"""Files go out, answers come in."""
