"""Scores, reports, boards, publication, audit."""
