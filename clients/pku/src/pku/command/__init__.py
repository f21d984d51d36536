"""The command ``pku``: what it asks, prepares and prints."""
