"""Scoring from the queue, results over HTTP, the audit timer."""
