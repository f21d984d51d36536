"""Scores, reports, leaderboards and what is published."""
