"""Experts and their annotations."""
