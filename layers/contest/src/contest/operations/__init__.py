"""The deployment itself: dead letters, costs, checks."""
