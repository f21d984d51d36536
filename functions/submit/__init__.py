"""Answers, receipts and logs over HTTP."""
