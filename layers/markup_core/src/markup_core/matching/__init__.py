"""Matching of two markups' fragments: candidates, assignment, ties."""
