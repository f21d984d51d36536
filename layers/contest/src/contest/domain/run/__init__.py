"""Scheduled runs: schedule, decisions about it, what became of every file, proofs."""
