"""The event channel: connections, what clients say, what is pushed to them."""
