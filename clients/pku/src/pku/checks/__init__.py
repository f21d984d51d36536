"""Checks a participant relies on: this machine before a run, receipts and a run's proof after it."""
