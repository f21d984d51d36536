"""HTTP and WebSocket gateways in front of the functions."""
