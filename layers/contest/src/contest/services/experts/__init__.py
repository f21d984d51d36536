"""Use cases of experts and of their coordinator."""
