"""The event channel of the earlier clients."""
