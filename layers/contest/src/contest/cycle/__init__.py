"""A cycle of the contest: its sets, parameters and stages."""
