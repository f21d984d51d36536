"""Commands about cycles and sets."""
