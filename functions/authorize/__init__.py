"""Tokens to identities."""
