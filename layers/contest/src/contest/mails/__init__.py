"""Mails about what people wait for, and their choices."""
