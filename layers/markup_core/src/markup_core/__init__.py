"""Scoring of essay markups: the contest's matcher, metrics and grading."""
