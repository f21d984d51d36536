"""Event channel of the earlier clients."""
