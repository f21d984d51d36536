"""Operation of a deployment: dead letters, costs, checks, the log of changes."""
