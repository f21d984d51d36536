"""Experts and their work: who marks up which essay, in which time, and what becomes of it (R 7.10, platform §5)."""
