"""Bodies of cycles and sets."""
