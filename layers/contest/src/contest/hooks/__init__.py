"""Webhooks: requests to the addresses of teams and organizers about what they wait for."""
