"""Connections of the event channel."""
